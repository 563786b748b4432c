import { defineWork, type Work } from '../../platform/storage/work.ts';
import { forgetPackedReadings, forgettableRows } from '../positions/edit-packed.ts';
import { getRow } from '../rows.ts';
import type { Tables, Tx } from '../schema/tables.ts';
import { forgetPositions, thinPositions } from './forget-positions.ts';
import type { Cuts, ForgottenKind } from './kept-history.ts';
import { lockSettled } from './settle-states.ts';

/**
 * Deletes other expired data of a device: a bounded number of rows at a time. Each function returns the number of
 * deleted rows.
 */

const ROWS_AT_ONCE = 500;

/** The newest of each kind stays: it is what is known of the device now. Those about no device are the gateway's. */
async function forgetReadings(tx: Tx, deviceId: number, cut: number): Promise<number> {
  const ids = await forgettableRows(tx, deviceId, { cut, most: ROWS_AT_ONCE });
  if (ids.length > 0) await tx.deleteFrom('gatewayReadings').where('id', 'in', ids).execute();
  return ids.length;
}

async function forgetNotifications(tx: Tx, deviceId: number, cut: number): Promise<number> {
  const old = await tx
    .selectFrom('notifications')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('timestamp', '<', cut)
    .where('decidedAt', '<', cut)
    .orderBy('timestamp')
    .limit(ROWS_AT_ONCE)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await tx.deleteFrom('escalations').where('deviceId', '=', deviceId).where('notificationId', 'in', ids).execute();
  await tx.deleteFrom('notifications').where('deviceId', '=', deviceId).where('id', 'in', ids).execute();
  return ids.length;
}

/** With stops and the ignition, whose last change before the time stays: it is still valid. */
async function forgetTrips(tx: Tx, deviceId: number, cut: number): Promise<number> {
  let removed = 0;
  for (const table of ['trips', 'stops'] as const) {
    const old = await tx
      .selectFrom(table)
      .select('id')
      .where('deviceId', '=', deviceId)
      .where('start', '<', cut)
      .where('end', '<', cut)
      .where('decidedAt', '<', cut)
      .limit(ROWS_AT_ONCE)
      .execute();
    removed += await removeIds(tx, table, deviceId, old);
  }
  const changes = tx.selectFrom('ignitionChanges').select('id').where('deviceId', '=', deviceId).where('at', '<', cut);
  const old = await changes.orderBy('at', 'desc').orderBy('id', 'desc').limit(ROWS_AT_ONCE).offset(1).execute();
  return removed + (await removeIds(tx, 'ignitionChanges', deviceId, old));
}

async function removeIds(
  tx: Tx,
  table: 'trips' | 'stops' | 'ignitionChanges',
  deviceId: number,
  rows: readonly { readonly id: number }[],
): Promise<number> {
  if (rows.length > 0)
    await tx
      .deleteFrom(table)
      .where('deviceId', '=', deviceId)
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .execute();
  return rows.length;
}

/** Checkpoints before deleted or thinned data are useless; the first one after it is needed, whatever its age. */
async function forgetCheckpoints(tx: Tx, deviceId: number, cut: number | undefined): Promise<number> {
  const floors = await getRow(tx, 'deviceStates', { deviceId }, ['forgottenUntil', 'thinnedUntil']);
  const floor = Math.max(floors.forgottenUntil ?? 0, floors.thinnedUntil ?? 0);
  const old = await tx
    .selectFrom('checkpoints')
    .select('at')
    .where('deviceId', '=', deviceId)
    .where('at', '<', Math.max(floor, cut ?? 0))
    .where('at', '!=', floor)
    .orderBy('at')
    .limit(ROWS_AT_ONCE)
    .execute();
  if (old.length > 0)
    await tx
      .deleteFrom('checkpoints')
      .where('deviceId', '=', deviceId)
      .where('at', '<=', old.at(-1)!.at)
      .where('at', '!=', floor)
      .execute();
  return old.length;
}

/** Ended versions of triggers: nothing of their time is evaluated again. */
async function forgetRuleVersions(tx: Tx, deviceId: number, cut: number): Promise<number> {
  const old = await tx
    .selectFrom('triggerVersions')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('validTo', '<', cut)
    .limit(ROWS_AT_ONCE)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0)
    await tx.deleteFrom('triggerVersions').where('deviceId', '=', deviceId).where('id', 'in', ids).execute();
  return ids.length;
}

interface DeviceToForget {
  readonly deviceId: number;
  readonly cuts: Cuts;
  /** Earlier packed positions are dropped with their partitions. */
  readonly droppedUntil?: number | undefined;
}

interface ForgottenSlice {
  readonly removed: Readonly<Partial<Record<ForgottenKind, number>>>;
  /** Whether there is more to delete; `busy` if data of the device waits for evaluation. */
  readonly next: 'more' | 'done' | 'busy';
}

/** Deletes a bounded part of a device's expired data. It can stop after each part, and continue at any time. */
class ForgetSlice implements Work<Tables, DeviceToForget, ForgottenSlice, ForgottenSlice> {
  async run(tx: Tx, { deviceId, cuts, droppedUntil }: DeviceToForget): Promise<ForgottenSlice> {
    const stateRow = await lockSettled(tx, deviceId);
    if (stateRow === undefined) return { removed: {}, next: 'busy' };
    if (cuts.positions !== undefined) {
      const { removed, isMore } = await forgetPositions(tx, stateRow, {
        cut: cuts.positions,
        droppedUntil,
      });
      if (isMore || removed > 0) return { removed: { positions: removed }, next: 'more' };
    }
    if (cuts.thinned !== undefined) {
      const { removed, isMore } = await thinPositions(tx, stateRow, cuts.thinned);
      if (isMore) return { removed: { thinned: removed }, next: 'more' };
    }
    if (cuts.readings !== undefined) {
      const readings = await forgetPackedReadings(tx, deviceId, cuts.readings);
      if (readings > 0) return { removed: { readings }, next: 'more' };
    }
    const removed: Partial<Record<ForgottenKind, number>> = {};
    const forget = async (kind: ForgottenKind, how: (tx: Tx, id: number, cut: number) => Promise<number>) => {
      const cut = cuts[kind];
      if (cut !== undefined) removed[kind] = await how(tx, deviceId, cut);
    };
    await forget('readings', (on, id, cut) => forgetReadings(on, id, cut));
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

export const forgetSlice = defineWork(import.meta.url, () => new ForgetSlice());
