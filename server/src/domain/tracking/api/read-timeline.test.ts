import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEitherEngine } from '../../../testing/databases.ts';
import { NOW } from '../../../testing/people.ts';
import { addDevices, storePositions } from '../../../testing/positions.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { readTimeline } from './read-timeline.ts';

const HOUR = 3_600_000;

onEitherEngine<Tables>('the timeline of positions', { migrations: MIGRATIONS }, (open) => {
  test('has each position once, by when it was received, however late that was', async () => {
    const store: Store = await open();
    // A device for each run, and for each time a failure is shrunk.
    await addDevices(
      store,
      Array.from({ length: 1000 }, (_, index) => index + 1),
    );
    let deviceId = 0;
    /** Soon after their time, around an hour, and anything up to years. */
    const delay = fc.oneof(
      fc.integer({ min: 0, max: 60_000 }),
      fc.constantFrom(HOUR, HOUR + 1, -HOUR, -HOUR - 1, 30 * 24 * HOUR),
      fc.integer({ min: -2 * HOUR, max: 900 * 24 * HOUR }),
    );
    const position = fc.record({ created: fc.integer({ min: 0, max: 5 * HOUR }), delay });
    const range = fc.record({
      since: fc.integer({ min: -1, max: 3 * HOUR }),
      length: fc.integer({ min: 0, max: 5 * HOUR }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(position, { maxLength: 60 }), range, async (given, { since, length }) => {
        deviceId++;
        const rows = given.map(({ created, delay }) => ({
          deviceId,
          timestamp: NOW + created - delay,
          created: NOW + created,
        }));
        const ids = await store.transaction((query) => storePositions({ query }, rows));
        const [from, to] = [NOW + since, NOW + since + length];
        const wanted = rows
          .map(({ created }, index) => ({ created, id: ids[index]! }))
          .filter(({ created }) => created > from && created <= to)
          .sort((a, b) => a.created - b.created || a.id - b.id);
        const found: string[] = [];
        for (let at = from; at < to; ) {
          const { entries, until } = await readTimeline.read(store, {
            deviceId,
            type: 'datapoint',
            since: at,
            until: to,
          });
          found.push(...entries.map(({ meta }) => meta.pointId!));
          assert.ok(until > at, 'it goes on');
          at = until;
        }
        assert.deepEqual(
          found,
          wanted.map(({ id }) => String(id)),
        );
      }),
      { numRuns: 60 },
    );
  });
});
