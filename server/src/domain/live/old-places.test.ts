import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../../testing/databases.ts';
import { Listener } from '../../testing/listening.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { insertPositionsWithIds } from '../positions/write.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { SLOT_KEYS, slotOf } from '../schema/owned-devices.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { appendLiveEvents } from './append-live-events.ts';
import { forgetLiveEvents, RESUMABLE_MS } from './log.ts';
import { startLive } from './streams.ts';

const OWNER = { userId: 1, admin: true, tokenId: 0 };
const DEVICES = [7, 8, 20];

onBothEngines<Tables>('places of a log with one order', { migrations: MIGRATIONS }, (open) => {
  const level = (deviceId: number, batteryPct: number) => ({ deviceId, event: { device: { batteryPct } } });

  /** A database with nine entries in one order, of which the first two are deleted: on PostgreSQL, one that was moved. */
  async function oldDatabase(now: number): Promise<Store> {
    const store = await open();
    const { query, dialect } = store;
    await sql`INSERT INTO "users" ("id", "email", "passwordHash", "created") VALUES (1, 'jane@example.com', 'x', 1)`.execute(
      query,
    );
    for (const id of DEVICES)
      await query
        .insertInto('devices')
        .values({ id, name: 'Van', ownerId: 1, firstSeen: 1 } as never)
        .execute();
    for (let entry = 3; entry <= 9; entry++) {
      const { deviceId, event } = level(DEVICES[entry % DEVICES.length]!, entry);
      const points = entry === 5 ? { points: [50, 51] } : {};
      const text = JSON.stringify({ ...points, ...event });
      await query
        .insertInto('liveEvents')
        .values({
          ...(dialect.hasSlots && { slot: SLOT_KEYS[slotOf(deviceId)]! }),
          id: entry,
          created: now,
          deviceId,
          kind: 'report',
          event: text,
        } as never)
        .execute();
    }
    const position = { deviceId: 7, locationLat: 1, locationLng: 1, locationType: 'gps', created: 1 };
    const positions = [50, 51].map((id) => ({ ...position, id, timestamp: id }));
    await insertPositionsWithIds(query, positions as never);
    if (dialect.hasSlots) await query.updateTable('slots').set({ lastId: 9, deletedId: 2, startId: 9 }).execute();
    else await query.insertInto('settings').values({ name: 'liveForgotten', value: '2' }).execute();
    return store;
  }

  const entriesOf = ({ received }: Listener) =>
    received.map(({ event, data }) => (event === 'device' ? data.batteryPct : event));
  /** By slot, since slots have no order among each other. */
  const sorted = (entries: readonly unknown[]) => entries.map(String).sort();

  test('resume where they were, each event once, and lead on to places of today', async () => {
    const now = Date.now();
    const store = await oldDatabase(now);
    const live = startLive(store, { log: watchfulLog, pollMs: 10, checkMs: 3_600_000 });
    try {
      const expected = {
        '2': ['3', '4', 'position', 'position', '5', '6', '7', '8', '9'],
        '5.0': ['position', '5', '6', '7', '8', '9'],
        '5.1': ['5', '6', '7', '8', '9'],
        '5': ['6', '7', '8', '9'],
        '8.0': ['9'],
        '9': [],
      };
      for (const [after, remaining] of Object.entries(expected)) {
        const listener = new Listener(live, OWNER, { after });
        await listener.ready();
        await listener.until(({ received }) => received.length >= remaining.length, after);
        listener.close();
        assert.deepEqual(sorted(entriesOf(listener)), remaining.toSorted(), after);
        // From each event on, the rest comes, whatever lane it is in.
        for (const [index, { id }] of listener.received.entries()) {
          const again = new Listener(live, OWNER, { after: id });
          const left = listener.received.length - index - 1;
          await again.until(({ received }) => received.length >= left, `after ${id}`);
          assert.deepEqual(sorted(entriesOf(again)), sorted(entriesOf(listener).slice(index + 1)), id);
          again.close();
        }
      }
      const fresh = new Listener(live, OWNER, { after: '7' });
      for (const [index, deviceId] of DEVICES.entries())
        await store.transaction((tx) =>
          appendLiveEvents(tx, [{ kind: 'report', ...level(deviceId, 10 + index) }], now),
        );
      await fresh.until(({ received }) => received.length >= 5);
      assert.deepEqual(sorted(entriesOf(fresh)), ['10', '11', '12', '8', '9']);
      fresh.close();
    } finally {
      await live.stop();
    }
  });

  test('are reset where entries after them are deleted, or where they never were', async () => {
    const now = Date.now();
    const store = await oldDatabase(now);
    const live = startLive(store, { log: watchfulLog, pollMs: 10, checkMs: 3_600_000 });
    try {
      for (const after of ['1', '2.0', '10', '9999']) {
        const lost = new Listener(live, OWNER, { after });
        await lost.until(({ received }) => received.length > 0, after);
        assert.deepEqual(entriesOf(lost), ['reset'], after);
        lost.close();
      }
      await store.query
        .updateTable('liveEvents')
        .set({ created: now - RESUMABLE_MS - 1 })
        .where('id', '<=', 6)
        .execute();
      assert.equal(await forgetLiveEvents(store, now), 4);
      const late = new Listener(live, OWNER, { after: '5' });
      await late.until(({ received }) => received.length > 0);
      assert.deepEqual(entriesOf(late), ['reset']);
      const early = new Listener(live, OWNER, { after: '6' });
      await early.until(({ received }) => received.length >= 3);
      assert.deepEqual(sorted(entriesOf(early)), ['7', '8', '9']);
    } finally {
      await live.stop();
    }
  });
});
