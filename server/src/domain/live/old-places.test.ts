import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../../testing/databases.ts';
import { Listener } from '../../testing/listening.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { SLOTS } from '../schema/slot.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { appendLiveEvents } from './append-live-events.ts';
import { forgetLiveEvents, RESUMABLE_MS } from './forget.ts';
import { startLive } from './streams.ts';

/** Until then the log had one order on both engines, and the place of a reader was one number. */
const BEFORE_SLOTS = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name === '0035-slots'),
);
const OWNER = { userId: 1, admin: true, tokenId: 0 };
const DEVICES = [7, 8, 7 + SLOTS];

onBothEngines<Tables>('places from before slots', { migrations: MIGRATIONS }, (open) => {
  const level = (deviceId: number, batteryPct: number) => ({ deviceId, event: { device: { batteryPct } } });

  /** A database as the program of that time left it: nine entries, of which the first two are deleted. */
  async function oldDatabase(now: number): Promise<Store> {
    const place = await open.emptyPlace();
    const old = await open.at(place, { migrations: BEFORE_SLOTS });
    await sql
      .raw(`INSERT INTO "users" ("id", "email", "passwordHash", "created") VALUES (1, 'jane@example.com', 'x', 1)`)
      .execute(old.query);
    for (const id of DEVICES)
      await sql
        .raw(`INSERT INTO "devices" ("id", "name", "ownerId", "firstSeen") VALUES (${id}, 'Van', 1, 1)`)
        .execute(old.query);
    for (let entry = 1; entry <= 9; entry++) {
      const { deviceId, event } = level(DEVICES[entry % DEVICES.length]!, entry);
      const points = entry === 5 ? { points: [50, 51] } : {};
      await sql`INSERT INTO "liveEvents" ("id", "created", "deviceId", "kind", "event")
        VALUES (${entry}, ${now}, ${deviceId}, 'heard', ${JSON.stringify({ ...points, ...event })})`.execute(old.query);
    }
    for (const id of [50, 51])
      await sql
        .raw(
          `INSERT INTO "points" ("id", "deviceId", "timestamp", "locationLat", "locationLng", "locationType", "created") VALUES (${id}, 7, ${id}, 1, 1, 'gps', 1)`,
        )
        .execute(old.query);
    await sql`DELETE FROM "liveEvents" WHERE "id" <= 2`.execute(old.query);
    await sql`INSERT INTO "settings" ("name", "value") VALUES ('liveForgotten', '2')`.execute(old.query);
    await old.close();
    return open.at(place);
  }

  const entriesOf = ({ told }: Listener) =>
    told.map(({ event, data }) => (event === 'device' ? data.batteryPct : event));
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
      for (const [after, rest] of Object.entries(expected)) {
        const listener = new Listener(live, OWNER, { after });
        await listener.ready();
        await listener.until(({ told }) => told.length >= rest.length, after);
        listener.close();
        assert.deepEqual(sorted(entriesOf(listener)), rest.toSorted(), after);
        // From each event on, the rest comes, whatever lane it is in.
        for (const [index, { id }] of listener.told.entries()) {
          const again = new Listener(live, OWNER, { after: id });
          const left = listener.told.length - index - 1;
          await again.until(({ told }) => told.length >= left, `after ${id}`);
          assert.deepEqual(sorted(entriesOf(again)), sorted(entriesOf(listener).slice(index + 1)), id);
          again.close();
        }
      }
      const fresh = new Listener(live, OWNER, { after: '7' });
      for (const [index, deviceId] of DEVICES.entries())
        await store.transaction((tx) =>
          appendLiveEvents(tx, store.storeKind, [{ kind: 'heard', ...level(deviceId, 10 + index) }], now),
        );
      await fresh.until(({ told }) => told.length >= 5);
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
        await lost.until(({ told }) => told.length > 0, after);
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
      await late.until(({ told }) => told.length > 0);
      assert.deepEqual(entriesOf(late), ['reset']);
      const early = new Listener(live, OWNER, { after: '6' });
      await early.until(({ told }) => told.length >= 3);
      assert.deepEqual(sorted(entriesOf(early)), ['7', '8', '9']);
    } finally {
      await live.stop();
    }
  });
});
