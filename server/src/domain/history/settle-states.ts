import type { Tx } from '../schema/tables.ts';
import { INITIAL_STATE } from '../tracking/evaluate/device-state.ts';
import { type LockedState, lockState } from '../tracking/state/lock-state.ts';
import { saveCheckpoints } from '../tracking/state/save-state.ts';

/** Locks a device without pending evaluation; undefined if something is pending, or if the device is gone. */
export async function lockSettled(tx: Tx, deviceId: number): Promise<LockedState | undefined> {
  const stateRow = await lockState(tx, deviceId);
  if (stateRow === undefined || stateRow.lateFrom !== null || stateRow.importFrom !== null || stateRow.hasBacklog)
    return undefined;
  const busy = await tx
    .selectFrom('deviceStates')
    .select('deviceId')
    .where('deviceId', '=', deviceId)
    .where((when) => when.or([when('replayFrom', 'is not', null), when('isRebuilding', '=', 1)]))
    .executeTakeFirst();
  return busy === undefined ? stateRow : undefined;
}

const isStateOf = ({ state }: LockedState, moment: number) => state.at !== INITIAL_STATE.at && state.at <= moment;

/** Stores the state of a moment until which positions are taken away, where it is the last that is known. */
export async function saveSettled(tx: Tx, stateRow: LockedState, until: number): Promise<void> {
  const { deviceId, state } = stateRow;
  if (isStateOf(stateRow, until)) await saveCheckpoints(tx, deviceId, [{ at: state.at, state }]);
}

/**
 * Positions before this time can be removed: usually slightly before the requested time, at a stored state. Any later
 * evaluation starts with that state, so that it misses nothing.
 */
export async function settledUntil(tx: Tx, stateRow: LockedState, cut: number): Promise<number> {
  const { deviceId, state } = stateRow;
  // Without later reports, the current state is that of the time.
  if (isStateOf(stateRow, cut)) return state.at;
  const checkpoint = await tx
    .selectFrom('checkpoints')
    .select('at')
    .where('deviceId', '=', deviceId)
    .where('at', '<=', cut)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  // Without a checkpoint its history began less than an hour earlier: then it begins here.
  return checkpoint?.at ?? cut;
}
