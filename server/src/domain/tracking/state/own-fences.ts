import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import { runRows, updateOf } from '../../../platform/storage/bulk.ts';
import { dialectOf } from '../../../platform/storage/dialect.ts';
import { isOwned, type OwnedDevices } from '../../schema/owned-devices.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { Rules } from '../evaluate/inputs.ts';
import type { LockedState } from './lock-state.ts';

/** Fences that are for one device show whether it was inside, and when that was last checked. */

type Tx = Kysely<Tables>;
type FenceCheck = Tables['geofenceChecks'];

const ownFences = ({ state: { at, decidedAt } }: LockedState, rules: Rules) =>
  decidedAt === undefined ? [] : (rules.bound?.(at) ?? []);

export const hasOwnFences = (stateRow: LockedState, rules: Rules) => ownFences(stateRow, rules).length > 0;

export const SHOW = updateOf('geofences', { wasInside: 'flag', lastChecked: 'time', id: 'integer' });

/**
 * Writes down what is known of them now. Where rows are distributed, a transaction of the device would be expensive if
 * it also changed a fence: there it is recorded in the shard of the device, and `showFenceChecks` copies it to the
 * fence.
 */
export async function saveOwnFences(tx: Tx, stateRow: LockedState, rules: Rules): Promise<void> {
  const { deviceId, state } = stateRow;
  const checks = ownFences(stateRow, rules).map(({ fenceId, shapedAt }) => ({
    deviceId,
    fenceId,
    wasInside: state.fences[fenceId]?.inside ? 1 : 0,
    lastChecked: Math.max(state.decidedAt!, shapedAt),
  }));
  if (dialectOf(tx).isDistributed) await note(tx, checks.filter(isNews(stateRow)));
  else await show(tx, checks);
}

const show = (tx: Tx, checks: readonly FenceCheck[]) =>
  runRows(
    tx,
    SHOW,
    checks.map(({ wasInside, lastChecked, fenceId }) => [wasInside, lastChecked, fenceId]),
  );

/** The time of a check is noted at most once in this time, as long as nothing else changes. */
const NOTED_EVERY_MS = 60_000;

/** It follows from the states before and after alone, so that a transaction that begins again notes the same. */
function isNews({ stored: { state: before } }: LockedState): (check: FenceCheck) => boolean {
  const part = (at: number) => Math.floor(at / NOTED_EVERY_MS);
  return ({ fenceId, wasInside, lastChecked }) =>
    part(lastChecked) !== part(before.decidedAt ?? 0) || (before.fences[fenceId]?.inside ? 1 : 0) !== wasInside;
}

async function note(tx: Tx, checks: readonly FenceCheck[]): Promise<void> {
  for (const check of checks)
    await tx
      .insertInto('geofenceChecks')
      .values(check)
      .onConflict((on) =>
        on.columns(['deviceId', 'fenceId']).doUpdateSet(({ ref }) => ({
          wasInside: ref('excluded.wasInside'),
          lastChecked: ref('excluded.lastChecked'),
        })),
      )
      .execute();
}

/** Fences that one transaction brings up to date. */
const AT_ONCE = 200;

/** Brings what was noted of devices that are owned to their fences. */
export const showFenceChecks = (store: Store, owned: OwnedDevices): Promise<void> =>
  showNoted(store, () => isOwned('deviceId', owned.now()));

/** The same for one device, whose fence is read right after. */
export const showFenceChecksOf = (store: Store, deviceId: number): Promise<void> =>
  showNoted(store, () => sql<SqlBool>`"deviceId" = ${deviceId}`);

async function showNoted(store: Store, which: () => Expression<SqlBool>): Promise<void> {
  if (!store.dialect.isDistributed) return;
  const noted = () => store.query.selectFrom('geofenceChecks').selectAll().where(which()).limit(AT_ONCE).execute();
  for (let checks = await noted(); checks.length > 0; checks = await noted()) {
    await store.transaction(async (tx) => {
      await show(tx, checks);
      // One that was noted anew meanwhile stays.
      for (const { deviceId, fenceId, wasInside, lastChecked } of checks)
        await tx
          .deleteFrom('geofenceChecks')
          .where('deviceId', '=', deviceId)
          .where('fenceId', '=', fenceId)
          .where('wasInside', '=', wasInside)
          .where('lastChecked', '=', lastChecked)
          .execute();
    });
    if (checks.length < AT_ONCE) return;
  }
}
