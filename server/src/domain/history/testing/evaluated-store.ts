import { createLog } from '../../../platform/log.ts';
import { positions } from '../../positions/positions.ts';
import { DAY_MS } from '../../positions/segments.ts';
import type { Store } from '../../schema/tables.ts';
import { Pipeline } from '../../tracking/pipeline.ts';
import { replay } from '../../tracking/replay/replay.ts';
import { RulesCache } from '../../tracking/state/rules-cache.ts';
import { decideDue } from '../../tracking/timers/due.ts';
import { packer } from '../../tracking/timers/pack-trips.ts';
import { historyForgetter } from '../forget-history.ts';
import type { KeptHistory } from '../kept-history.ts';

const WINDOW_MS = 5 * DAY_MS;
export const FOREVER: KeptHistory = {
  positions: 0,
  readings: 0,
  trips: 0,
  notifications: 0,
  checkpoints: 0,
  thinAfter: 0,
  windowMs: WINDOW_MS,
};
export const always = () => true;
export const log = createLog('silent');

/** Stores, evaluates and deletes reports; everything is kept forever by default. */
export function evaluatedStore(store: Store, kept: Partial<KeptHistory>) {
  const rulesCache = new RulesCache(store, WINDOW_MS);
  const all = { ...FOREVER, ...kept };
  return {
    all,
    intake: new Pipeline(store, rulesCache, {
      windowMs: WINDOW_MS,
      kept: all,
      publish: () => {},
      lateDataOf: () => {},
    }),
    forgetter: historyForgetter(store, { kept: all, log }),
    async settle(deviceId: number, now: number): Promise<void> {
      while ((await replay(store, rulesCache, deviceId, () => now)) !== undefined);
      await decideDue(store, rulesCache, now, { log, goOn: always, fired: () => {} });
      await packer(store)(always);
    },
    async timesOf(deviceId: number): Promise<number[]> {
      const span = { deviceId, from: 0, to: Number.MAX_SAFE_INTEGER };
      const rows = await positions(store.query, { ...span, columns: ['timestamp'], limit: 100_000 });
      return rows.map(({ timestamp }) => timestamp);
    },
  };
}
