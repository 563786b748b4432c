import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { Tables } from '../schema/tables.ts';
import { forgettableRows } from '../stored-readings/forget-packed.ts';

/** What else is forgotten of a device: a bounded number of rows at a time. Each answers how many those were. */

type Tx = Kysely<Tables>;

export const ROWS_AT_ONCE = 500;

/** The newest of each kind stays: it is what is known of the device now. Those about no device are the gateway's. */
export async function forgetReadings(tx: Tx, storeKind: StoreKind, deviceId: number, cut: number): Promise<number> {
  const ids = await forgettableRows(tx, storeKind, deviceId, { cut, most: ROWS_AT_ONCE });
  if (ids.length > 0) await tx.deleteFrom('gatewayReadings').where('id', 'in', ids).execute();
  return ids.length;
}

export async function forgetNotifications(tx: Tx, deviceId: number, cut: number): Promise<number> {
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

/** With stops and the ignition, whose last change before stays: it still holds. */
export async function forgetTrips(tx: Tx, deviceId: number, cut: number): Promise<number> {
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

/** Those from before what was forgotten or thinned are of no use any more; the first after it is, whatever its age. */
export async function forgetCheckpoints(tx: Tx, deviceId: number, cut: number | undefined): Promise<number> {
  const floors = await tx
    .selectFrom('deviceStates')
    .select(['forgottenUntil', 'thinnedUntil'])
    .where('deviceId', '=', deviceId)
    .executeTakeFirstOrThrow();
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

/** Versions of triggers that ended: nothing from their time is judged again. */
export async function forgetRuleVersions(tx: Tx, deviceId: number, cut: number): Promise<number> {
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
