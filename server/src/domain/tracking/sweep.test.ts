import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../testing/databases.ts';
import { makeDevice, makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { ALL_DEVICES, type OwnedDevices, type Ownership, owns, slotOf } from '../schema/owned-devices.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { sweeper } from './engine.ts';
import { ReplayQueue } from './replay/replay-queue.ts';

onBothEngines<Tables>('a sweep', { migrations: MIGRATIONS }, (open) => {
  async function marked(count: number) {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'owner@example.com');
    const ids: number[] = [];
    for (let index = 0; index < count; index++) ids.push(await makeDevice(store, userId));
    await store.query.updateTable('deviceStates').set({ lateFrom: 1 }).execute();
    return { store, ids };
  }

  /** Sweeps, and answers which devices were queued. */
  function sweeping(store: Store, owned: OwnedDevices) {
    const taken: number[] = [];
    const queue = new ReplayQueue(async (deviceId) => {
      taken.push(deviceId);
      return true;
    });
    const sweep = sweeper(store, queue, owned);
    return async () => {
      taken.length = 0;
      await sweep(() => true);
      await queue.idle();
      return taken.sort((a, b) => a - b);
    };
  }

  test('takes all that are marked, again and again, where one process has all slots', async () => {
    const { store, ids } = await marked(3);
    const sweep = sweeping(store, ALL_DEVICES);
    assert.deepEqual(await sweep(), ids);
    assert.deepEqual(await sweep(), ids);
  });

  if (open.storeKind === 'sqlite') return;

  test('takes devices of owned slots: at once if a slot is new, otherwise devices that no process works on', async () => {
    const { store, ids } = await marked(4);
    const [one, two, foreign, later] = ids as [number, number, number, number];
    let slots: Ownership = [one, two].map(slotOf);
    const sweep = sweeping(store, { now: () => slots, has: (id) => owns(slots, id) });
    assert.deepEqual(await sweep(), [one, two], 'the previous owner of the slots may have died');
    // One is being evaluated by the node that received what was late.
    await store.query
      .updateTable('deviceStates')
      .set(({ eb }) => ({ version: eb('version', '+', 1) }))
      .where('deviceId', '=', one)
      .execute();
    assert.deepEqual(await sweep(), [two]);
    slots = [one, two, later].map(slotOf);
    assert.deepEqual(await sweep(), [one, two, later]);
    assert.ok(!(await sweep()).includes(foreign));
  });
});
