import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onBothEngines } from '../../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { tripRow } from './journeys.ts';
import { touchingReader } from './touching.ts';

const DAY_MS = 86_400_000;

onBothEngines<Tables>('trips in a range', { migrations: MIGRATIONS }, (open) => {
  test('overlap it, also if one of many days extends into it', async () => {
    const store = await open();
    const owner = await makeUser(store, 'a@example.com');
    const [deviceId, other] = [await makeDevice(store, owner.userId), await makeDevice(store, owner.userId)];
    const place = { lat: 1, lng: 2 };
    const more = { distanceM: 1, idleMs: 0, maxSpeedKmh: 1, startLocation: place, endLocation: place };
    const trips: { start: number; end: number }[] = [];
    const lengths = fc.sample(fc.double({ min: 0.001, max: 0.1, noNaN: true }), { numRuns: 60, seed: 1 });
    lengths.splice(30, 0, 50);
    let start = NOW;
    for (const days of lengths) {
      const end = start + Math.round(days * DAY_MS);
      trips.push({ start, end });
      start = end + (trips.length % 3) * 40_000_000;
    }
    for (const id of [deviceId, other])
      for (const trip of trips) {
        const ends = { ...trip, startPointId: 1, endPointId: 2, decidedAt: trip.end };
        await store.query
          .insertInto('trips')
          .values(tripRow(id, { ...more, ...ends }) as never)
          .execute();
      }
    const touching = touchingReader<{ start: number; end: number }>(store, 'test.trips', 'trips', ['start', 'end']);
    const edges = trips.flatMap((trip) => [
      trip.start,
      Math.round((trip.start + trip.end) / 2),
      trip.end,
      trip.end + 1,
    ]);
    for (const from of edges)
      for (const to of [from, from + DAY_MS, from + 30 * DAY_MS]) {
        const found = await touching({ deviceId, from, to });
        const expected = trips.filter((trip) => trip.start <= to && trip.end >= from);
        assert.deepEqual(
          found.map((trip) => ({ ...trip })),
          expected,
        );
      }
  });
});
