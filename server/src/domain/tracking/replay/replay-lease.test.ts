import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../../testing/databases.ts';
import { effectsIn } from '../../../testing/effects.ts';
import { at, minutes, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { Pipeline } from '../pipeline.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { replay } from './replay.ts';
import { acquireReplay, renewReplay } from './replay-lease.ts';

const WINDOW_MS = 30 * 86_400_000;
const SECOND = 1 / 60;
const END = 100;
/** Long after the lease of a replay has ended. */
const LATER = END + 30 * SECOND;

onBothEngines<Tables>('the lease of a replay', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const deviceId = await watchedDevice(store);
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const ingest = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    const hear = (...said: number[]) => ingest.store(deviceId, reportAt(...said), at(END));
    const evaluate = (on: Store, holder: string, minute = END) =>
      replay(on, rulesCache, deviceId, () => at(minute), holder);
    await hear(...minutes(50, END));
    await hear(...minutes(0, 40));
    return { store, deviceId, hear, evaluate };
  }

  /** The same store, with a hook between a replay's evaluating and its commit. */
  function meanwhile(store: Store, happen: () => Promise<unknown>): Store {
    let transactions = 0;
    const transaction: Store['transaction'] = async (work) => {
      if (++transactions === 2) await happen();
      return store.transaction(work);
    };
    return { ...store, transaction };
  }

  async function undisturbed() {
    const { store, hear, evaluate } = await setting();
    await hear(...minutes(41, 49));
    await hear(END + 1);
    await evaluate(store, 'one');
    return effectsIn(store);
  }

  test('is not kept by one that was thought dead and found an old truth', async () => {
    const { store, hear, evaluate } = await setting();
    // While the first one is stuck another one takes over, evaluates all that came, and what comes then is in order again.
    const stuck = meanwhile(store, async () => {
      await hear(...minutes(41, 49));
      assert.equal((await evaluate(store, 'two', LATER)) !== undefined, true, 'it takes over');
      await hear(END + 1);
    });
    assert.equal(await evaluate(stuck, 'one'), undefined, 'nothing is left to do');
    assert.deepEqual(await effectsIn(store), await undisturbed());
  });

  if (open.storeKind === 'postgres') {
    test('stays with a process that takes long, and goes to another once that process does not respond any more', async () => {
      const { store, deviceId } = await setting();
      const take = (holder: string, second: number) =>
        acquireReplay(store, deviceId, at(END + second * SECOND), holder);
      const slow = await take('one', 0);
      await renewReplay(store, deviceId, slow!, at(END + 10 * SECOND));
      assert.equal(await take('two', 20), undefined);
      assert.ok(await take('two', 26));
    });

    test('is left to the process that has it, which goes on with what comes meanwhile', async () => {
      const { store, hear, evaluate } = await setting();
      const busy = meanwhile(store, async () => {
        await hear(...minutes(41, 49));
        await hear(END + 1);
        assert.equal(await evaluate(store, 'two'), undefined, 'another one has it');
      });
      const first = await evaluate(busy, 'one');
      assert.ok(first !== undefined && first !== 'overtaken' && first.isOpen);
      await evaluate(store, 'one');
      assert.deepEqual(await effectsIn(store), await undisturbed());
    });
  }
});
