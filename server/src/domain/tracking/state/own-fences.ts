import type { Kysely } from 'kysely';
import { runRows, updateOf } from '../../../platform/storage/bulk.ts';
import { hasSlotOf, type OwnedSlots } from '../../schema/owned-slots.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { PostingStore } from '../../sending/outgoing/stage.ts';
import type { Rules } from '../judge/inputs.ts';
import type { LockedState } from './lock-state.ts';

/** Fences that are for one device show whether it was inside, and when that was last checked. */

type Tx = Kysely<Tables>;
type FenceCheck = Tables['fenceChecks'];

const ownFences = ({ state: { at, decidedAt } }: LockedState, rules: Rules) =>
  decidedAt === undefined ? [] : (rules.bound?.(at) ?? []);

export const hasOwnFences = (stateRow: LockedState, rules: Rules) => ownFences(stateRow, rules).length > 0;

const SHOW = updateOf('geofences', { wasInside: 'flag', lastChecked: 'time', id: 'integer' });

/**
 * Writes down what is known of them now. Where rows are spread over servers, every server has all fences, and a transaction
 * that changed one would be committed in two phases: there it is noted beside the device, and `showFenceChecks` brings it
 * to the fence.
 */
export async function saveOwnFences(tx: Tx, store: PostingStore, stateRow: LockedState, rules: Rules): Promise<void> {
  const { deviceId, state } = stateRow;
  const checks = ownFences(stateRow, rules).map(({ fenceId, shapedAt }) => ({
    deviceId,
    fenceId,
    wasInside: state.fences[fenceId]?.inside ? 1 : 0,
    lastChecked: Math.max(state.decidedAt!, shapedAt),
  }));
  if (store.groupOfSlot === undefined) await show(tx, store, checks);
  else await note(tx, checks.filter(isNews(stateRow)));
}

const show = (tx: Tx, { storeKind }: PostingStore, checks: readonly FenceCheck[]) =>
  runRows(
    tx,
    storeKind,
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
      .insertInto('fenceChecks')
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

/** Brings what was noted of devices of some slots to their fences. */
export async function showFenceChecks(store: Store, owned: OwnedSlots): Promise<void> {
  if (store.groupOfSlot === undefined) return;
  const noted = () =>
    store.query.selectFrom('fenceChecks').selectAll().where(hasSlotOf(owned.now())).limit(AT_ONCE).execute();
  for (let checks = await noted(); checks.length > 0; checks = await noted()) {
    await store.transaction(async (tx) => {
      await show(tx, store, checks);
      // One that was noted anew meanwhile stays.
      for (const { deviceId, fenceId, wasInside, lastChecked } of checks)
        await tx
          .deleteFrom('fenceChecks')
          .where('deviceId', '=', deviceId)
          .where('fenceId', '=', fenceId)
          .where('wasInside', '=', wasInside)
          .where('lastChecked', '=', lastChecked)
          .execute();
    });
    if (checks.length < AT_ONCE) return;
  }
}
