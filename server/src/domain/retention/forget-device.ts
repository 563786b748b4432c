import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { defineWork, type Work, type Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { forgetPackedReadings } from '../stored-readings/forget-packed.ts';
import { forgetPositions } from './forget-positions.ts';
import {
  forgetCheckpoints,
  forgetNotifications,
  forgetReadings,
  forgetRuleVersions,
  forgetTrips,
  ROWS_AT_ONCE,
} from './forget-rest.ts';
import type { Cuts, ForgottenKind } from './kept-history.ts';
import { lockSettled } from './settle-states.ts';
import { thinPositions } from './thin-positions.ts';

interface DeviceToForget {
  readonly deviceId: number;
  readonly cuts: Cuts;
  /** Packed positions of times before go with the parts of the table that they lie in. */
  readonly droppedUntil?: number | undefined;
}

export interface ForgottenSlice {
  readonly removed: Readonly<Partial<Record<ForgottenKind, number>>>;
  /** Whether there is more to forget; `busy` where something of the device waits to be judged. */
  readonly next: 'more' | 'done' | 'busy';
}

/** Forgets a bounded part of what a device has from before some times. It can end after each part, and go on any time. */
class ForgetSlice implements Work<Tables, DeviceToForget, ForgottenSlice, ForgottenSlice> {
  readonly #storeKind: StoreKind;

  constructor({ storeKind }: Workplace<Tables>) {
    this.#storeKind = storeKind;
  }

  async run(tx: Kysely<Tables>, { deviceId, cuts, droppedUntil }: DeviceToForget): Promise<ForgottenSlice> {
    const storeKind = this.#storeKind;
    const stateRow = await lockSettled(tx, storeKind, deviceId);
    if (stateRow === undefined) return { removed: {}, next: 'busy' };
    if (cuts.positions !== undefined) {
      const { removed, isMore } = await forgetPositions(tx, storeKind, stateRow, {
        cut: cuts.positions,
        droppedUntil,
      });
      if (isMore || removed > 0) return { removed: { positions: removed }, next: 'more' };
    }
    if (cuts.thinned !== undefined) {
      const { removed, isMore } = await thinPositions(tx, storeKind, stateRow, cuts.thinned);
      if (isMore) return { removed: { thinned: removed }, next: 'more' };
    }
    if (cuts.readings !== undefined) {
      const readings = await forgetPackedReadings(tx, storeKind, deviceId, cuts.readings);
      if (readings > 0) return { removed: { readings }, next: 'more' };
    }
    const removed: Partial<Record<ForgottenKind, number>> = {};
    const forget = async (
      kind: ForgottenKind,
      how: (tx: Kysely<Tables>, id: number, cut: number) => Promise<number>,
    ) => {
      const cut = cuts[kind];
      if (cut !== undefined) removed[kind] = await how(tx, deviceId, cut);
    };
    await forget('readings', (on, id, cut) => forgetReadings(on, storeKind, id, cut));
    await forget('trips', forgetTrips);
    await forget('notifications', forgetNotifications);
    await forget('ruleVersions', forgetRuleVersions);
    removed.checkpoints = await forgetCheckpoints(tx, deviceId, cuts.checkpoints);
    const isMore = Object.values(removed).some((count) => count >= ROWS_AT_ONCE);
    return { removed, next: isMore ? 'more' : 'done' };
  }

  committed(slice: ForgottenSlice): ForgottenSlice {
    return slice;
  }
}

export const forgetSlice = defineWork(import.meta.url, (workplace: Workplace<Tables>) => new ForgetSlice(workplace));
