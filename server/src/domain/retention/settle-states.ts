import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { Tables } from '../schema/tables.ts';
import { STATE_FORM, UNHEARD } from '../tracking/judge/device-state.ts';
import { saveCheckpoints } from '../tracking/state/checkpoints.ts';
import { type LockedState, lockState } from '../tracking/state/lock-state.ts';

type Tx = Kysely<Tables>;

/** Locks a device of which nothing waits to be judged; undefined where something does, or where it is gone. */
export async function lockSettled(tx: Tx, storeKind: StoreKind, deviceId: number): Promise<LockedState | undefined> {
  const stateRow = await lockState(tx, storeKind, deviceId);
  if (stateRow === undefined || stateRow.lateFrom !== null || stateRow.importFrom !== null || stateRow.hasRest)
    return undefined;
  const busy = await tx
    .selectFrom('deviceStates')
    .select('deviceId')
    .where('deviceId', '=', deviceId)
    .where((when) => when.or([when('replayFrom', 'is not', null), when('rebuilds', '=', 1)]))
    .executeTakeFirst();
  return busy === undefined ? stateRow : undefined;
}

const isStateOf = ({ state }: LockedState, moment: number) => state.at !== UNHEARD.at && state.at <= moment;

/** Stores the state of a moment until which positions are taken away, where it is the last that is known. */
export async function saveSettled(tx: Tx, storeKind: StoreKind, stateRow: LockedState, until: number): Promise<void> {
  const { deviceId, state } = stateRow;
  if (isStateOf(stateRow, until)) await saveCheckpoints(tx, storeKind, deviceId, [{ at: state.at, state }]);
}

/**
 * Until when positions can be taken away: mostly a little before the moment that is wanted, where a state of then is stored.
 * Whatever is judged again later begins with that state, so that nothing is missing to it.
 */
export async function settledUntil(tx: Tx, stateRow: LockedState, cut: number): Promise<number> {
  const { deviceId, state } = stateRow;
  // Where it was not heard since, its state is that of then.
  if (isStateOf(stateRow, cut)) return state.at;
  const checkpoint = await tx
    .selectFrom('checkpoints')
    .select('at')
    .where('deviceId', '=', deviceId)
    .where('at', '<=', cut)
    .where('form', '=', STATE_FORM)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  // Without one its history began less than an hour before: then it begins here.
  return checkpoint?.at ?? cut;
}
