import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openPostgres } from '../../platform/storage/postgres/postgres.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { eventually } from '../../testing/eventually.ts';
import { Listener } from '../../testing/listening.ts';
import { makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { SLOT_KEYS, slotOf } from '../schema/owned-devices.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { appendLiveEvents, type LiveEvent } from './append-live-events.ts';
import { liveLog } from './log.ts';
import { startLive } from './streams.ts';

/** The next device with the slot of device 6. */
const TWIN = Array.from({ length: 1000 }, (_, id) => id).find((id) => id > 6 && slotOf(id) === slotOf(6))!;

const message = (deviceId: number, n: number): LiveEvent => ({ kind: 'message', deviceId, event: { n } });

onBothEngines<Tables>('the live log', { migrations: MIGRATIONS }, (open) => {
  const entriesIn = async (store: Store) =>
    (await store.query.selectFrom('liveEvents').selectAll().orderBy('id').execute()).map((row) => ({
      ...row,
      n: JSON.parse(row.event).n as number,
    }));

  test('has what a transaction appends, in its order, however often it appends', async () => {
    const store = await open();
    await store.transaction(async (tx) => {
      await appendLiveEvents(tx, [message(TWIN, 1), message(3, 2), message(6, 3)], NOW);
      await appendLiveEvents(tx, [], NOW);
      await appendLiveEvents(tx, [message(6, 4), message(TWIN, 5), message(2, 6)], NOW);
    });
    const entries = await entriesIn(store);
    assert.equal(entries.length, 6);
    const order = entries.filter(({ deviceId }) => slotOf(deviceId) === slotOf(6)).map(({ n }) => n);
    assert.deepEqual(order, [1, 3, 4, 5]);
  });

  test('has nothing of a transaction that fails, and goes on without a hole', async () => {
    const store = await open();
    const failing = store.transaction(async (tx) => {
      await appendLiveEvents(tx, [message(1, 1)], NOW);
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    // Found only when it is written, which on PostgreSQL is with the commit.
    const unfit = store.transaction((tx) => appendLiveEvents(tx, [{ ...message(1, 2), kind: null as never }], NOW));
    await assert.rejects(unfit);
    await store.transaction((tx) => appendLiveEvents(tx, [message(1, 3)], NOW));
    assert.deepEqual(
      (await entriesIn(store)).map(({ id, n }) => [id, n]),
      [[1, 3]],
    );
    assert.equal((await liveLog(store).head()).at(store.dialect.name === 'sqlite' ? 0 : 1), 1);
  });

  test('has every entry once, in the order of commits within a slot, however many write it at once', async () => {
    const place = await open.emptyPlace();
    const stores = [await open.at(place)];
    if (open.storeKind === 'postgres') stores.push(await open.at(place));
    let n = 0;
    const write = async (store: Store, round: number) => {
      const devices = Array.from({ length: 12 }, (_, i) => ((i * 7 + round * 13) % 20) + 1);
      if (round % 2) devices.reverse();
      await store.transaction(async (tx) => {
        for (const deviceId of devices) await appendLiveEvents(tx, [message(deviceId, n++)], NOW);
      });
    };
    // No more at once than a store has connections: on a slow machine the others would wait for one too long.
    const writers = Array.from({ length: 10 }, async (_, first) => {
      for (let round = first; round < 60; round += 10) await write(stores[round % stores.length]!, round);
    });
    await Promise.all(writers);
    const entries = await entriesIn(stores[0]!);
    assert.equal(entries.length, 60 * 12);
    if (open.storeKind === 'sqlite') return;
    for (const slot of SLOT_KEYS.slice(0, 21)) {
      const ids = entries.filter((entry) => entry.slot === slot).map(({ id }) => id);
      assert.deepEqual(
        ids,
        ids.map((_, index) => index + 1),
        'without holes, so what is not seen is not there',
      );
    }
  });

  test('is refused outside a transaction, where its end has no commit to go with', async () => {
    if (open.storeKind === 'sqlite') return;
    const store = await open();
    await assert.rejects(appendLiveEvents(store.query, [message(1, 1)], NOW), /outside a transaction/);
  });

  test('of one slot does not wait for a transaction that has another', async () => {
    if (open.storeKind === 'sqlite') return;
    const store = await open();
    await store.transaction(async (tx) => {
      await sql`SELECT 1 FROM "slots" WHERE "slot" = ${SLOT_KEYS[1]!} FOR UPDATE`.execute(tx);
      await store.transaction((other) => appendLiveEvents(other, [message(2, 1)], NOW));
    });
    assert.equal((await entriesIn(store)).length, 1);
  });

  test('of another process is received without polling, also after the connection broke', async () => {
    if (open.storeKind === 'sqlite') return;
    const place = await open.emptyPlace();
    const options = { url: place, migrations: MIGRATIONS, notices: { log: watchfulLog } };
    const [one, other] = [await openPostgres<Tables>(options), await openPostgres<Tables>(options)];
    const live = startLive(other, { log: watchfulLog, pollMs: 3_600_000, checkMs: 3_600_000 });
    try {
      const { userId } = await makeUser(one, 'owner@example.com');
      const device = await makeDevice(one, userId);
      const listener = new Listener(live, { userId, admin: false, tokenId: 0 });
      await listener.ready();
      const append = (n: number) => one.transaction((tx) => appendLiveEvents(tx, [message(device, n)], Date.now()));
      await append(1);
      await listener.until(({ received }) => received.length === 1);
      const connections = sql<{ pid: number }>`SELECT pid FROM pg_stat_activity
        WHERE application_name = 'trackway notices' AND datname = current_database()`;
      const before = (await connections.execute(one.query)).rows.map(({ pid }) => pid);
      for (const pid of before) await sql`SELECT pg_terminate_backend(CAST(${pid} AS INTEGER))`.execute(one.query);
      await eventually('new connections', async () => {
        const now = (await connections.execute(one.query)).rows.filter(({ pid }) => !before.includes(pid));
        return now.length === 2;
      });
      await append(2);
      await listener.until(({ received }) => received.length === 2);
    } finally {
      await live.stop();
      for (const store of [one, other]) await store.close();
    }
  });
});
