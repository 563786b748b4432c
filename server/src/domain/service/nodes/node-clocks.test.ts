import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../../testing/databases.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import { SLOTS } from '../../schema/owned-devices.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { VERSION } from '../info.ts';
import { nodeClocks, type SlotClocks } from './node-clocks.ts';

const HOUR_MS = 3_600_000;

onEitherEngine<Tables>('the clocks of slots', { migrations: MIGRATIONS }, (open) => {
  const failures: unknown[] = [];
  const clocksOf = (store: Store, leaseMs = HOUR_MS) =>
    // The test says when they look.
    nodeClocks(store, {
      log: { error: (failure: unknown) => failures.push(failure) } as never,
      everyMs: HOUR_MS,
      leaseMs,
    });

  if (open.storeKind === 'sqlite') {
    test('are all of the one process, which writes nothing', async () => {
      const clocks = clocksOf(await open());
      await clocks.start('one');
      assert.equal(clocks.now(), undefined);
      assert.ok(clocks.has(7));
      await clocks.stop();
      assert.equal(clocks.now(), undefined);
    });
    return;
  }

  const schema = MIGRATIONS.at(-1)!.name;
  /** The row of a node. */
  const report = (store: Store, id: string, more: { seenAt?: number } = {}) => {
    const seen = { seenAt: store.now(), schema, goneAt: null, ...more };
    const remaining = { name: id, version: VERSION, address: '', startedAt: 0, lagMs: 0, clockAheadMs: 0 };
    return store.query
      .insertInto('nodes')
      .values({ id, ...remaining, ...seen, figures: '{}', owns: '{}' })
      .onConflict((on) => on.column('id').doUpdateSet(seen))
      .execute();
  };
  const gone = (store: Store, id: string) =>
    store.query.updateTable('nodes').set({ goneAt: store.now() }).where('id', '=', id).execute();
  const startAt = async (store: Store, id: string) => {
    await report(store, id);
    const clocks = clocksOf(store);
    await clocks.start(id);
    return clocks;
  };
  const slotsOf = (clocks: SlotClocks) => clocks.now() ?? Array.from({ length: SLOTS }, (_, slot) => slot);
  const counts = (all: readonly SlotClocks[]) => all.map((clocks) => slotsOf(clocks).length);
  function assertSplit(all: readonly SlotClocks[]): void {
    const slots = all.flatMap(slotsOf);
    assert.equal(new Set(slots).size, slots.length, 'no slot is of two');
    assert.equal(slots.length, SLOTS);
  }
  /** The leases of a node that died ended long ago by any clock. */
  const lapse = (store: Store, id: string) =>
    store.query
      .updateTable('slotTimers')
      .set({ ownedUntil: store.now() - HOUR_MS })
      .where('owner', '=', id)
      .execute();
  const lookAll = async (all: readonly SlotClocks[], rounds = 1) => {
    for (let round = 0; round < rounds; round++) for (const clocks of all) await clocks.look();
  };

  test('all belong to a single node, are shared with nodes that join, and return when these stop', async () => {
    const store: Store = await open();
    const one = await startAt(store, 'one');
    assert.equal(one.now(), undefined);
    const two = await startAt(store, 'two');
    const three = await startAt(store, 'three');
    assert.deepEqual(counts([two, three]), [0, 0], 'no node takes a slot of another');
    const all = [one, two, three];
    // The one gives; the others see that they have it.
    await lookAll(all);
    assertSplit(all);
    assert.deepEqual(counts(all).sort(), [21, 21, 22]);
    const before = all.map((clocks) => clocks.now());
    await lookAll(all, 2);
    assert.deepEqual(
      all.map((clocks) => clocks.now()),
      before,
      'it stays so',
    );
    await gone(store, 'two');
    await two.stop();
    assert.deepEqual(two.now(), []);
    await lookAll([one, three]);
    assertSplit([one, three]);
    assert.deepEqual(counts([one, three]), [32, 32]);
    for (const [id, clocks] of Object.entries({ one, three })) {
      await gone(store, id);
      await clocks.stop();
    }
    const left = await store.query.selectFrom('slotTimers').selectAll().where('owner', 'is not', null).execute();
    assert.deepEqual(left, [], 'after the last node they have no owner');
    assert.deepEqual(failures, []);
  });

  test('of a node that died are shared by the others once its leases have ended, not before', async () => {
    const store: Store = await open();
    const one = await startAt(store, 'one');
    const two = await startAt(store, 'two');
    await lookAll([one, two]);
    assert.deepEqual(counts([one, two]), [32, 32]);
    // It does not report for a while.
    await report(store, 'two', { seenAt: store.now() - 2 * HOUR_MS });
    await one.look();
    assert.deepEqual(counts([one]), [32], 'they are leased still');
    await lapse(store, 'two');
    await one.look();
    assert.equal(one.now(), undefined);
    // It was only paused: it finds that nothing is its own, and gets its share again.
    await report(store, 'two');
    await two.look();
    assert.deepEqual(two.now(), []);
    await lookAll([one, two]);
    assertSplit([one, two]);
    assert.deepEqual(counts([one, two]), [32, 32]);
  });

  test('that were not taken while a node was paused belong to it again', async () => {
    const store: Store = await open();
    const one = await startAt(store, 'one');
    await lapse(store, 'one');
    await one.look();
    assert.equal(one.now(), undefined);
    const rows = await store.query.selectFrom('slotTimers').select('ownedUntil').execute();
    assert.ok(rows.every(({ ownedUntil }) => ownedUntil! > store.now()));
  });

  test('are not its own once a lease has ended, though it has not looked since', async () => {
    const store: Store = await open();
    await report(store, 'one');
    const clocks = clocksOf(store, 1);
    await clocks.start('one');
    assert.deepEqual(clocks.now(), []);
    assert.ok(!clocks.has(7));
  });

  test('are never of two, however nodes look at the same time', async () => {
    const store: Store = await open();
    const names = ['one', 'two', 'three', 'four', 'five'];
    const all = await Promise.all(names.map((name) => startAt(store, name)));
    for (let round = 0; round < 4; round++) await Promise.all(all.map((clocks) => clocks.look()));
    assertSplit(all);
    assert.deepEqual(counts(all).sort(), [12, 13, 13, 13, 13]);
    assert.deepEqual(failures, []);
  });
});
