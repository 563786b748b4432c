import type { Kysely } from 'kysely';
import { stopRow, tripRow } from '../../motion/journeys.ts';
import { saveIgnition } from '../../motion/motion.ts';
import { markPacked } from '../../positions/edit-packed.ts';
import { markJudged } from '../../positions/write.ts';
import type { Tables } from '../../schema/tables.ts';
import { advance, type Effects, noEffects } from '../evaluate/advance.ts';
import { type Input, inOrder, isNext, type Rules } from '../evaluate/inputs.ts';
import { type Budget, Spending } from './budget.ts';
import { BACKLOG_ONLY, type LockedState } from './lock-state.ts';
import { recordFirings } from './record-firings.ts';
import type { MayBeNotified, RecordedNotification, Recording } from './record-notification.ts';
import { type Checkpoint, isCheckpointDue, saveCheckpoints } from './save-state.ts';

type Tx = Kysely<Tables>;

/**
 * Evaluates inputs that come after everything seen, as far as the budget goes; the rest of them follows in later
 * transactions, and what does not come after everything seen in a replay.
 */
export function advanceState(
  stateRow: LockedState,
  inputs: readonly Input[],
  rules: Rules,
  budget: Budget,
): StepResult {
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const sorted = inputs.length < 2 ? inputs : inputs.toSorted(inOrder);
  const first = sorted[0];
  if (first === undefined) return { effects, checkpoints };
  const order = timelinessOf(stateRow, first);
  if (order !== 'next') {
    if (order === 'late') stateRow.lateFrom = Math.min(stateRow.lateFrom ?? Number.POSITIVE_INFINITY, first.at);
    return { effects, checkpoints };
  }
  const spending = new Spending(budget, effects);
  for (const input of sorted) {
    if (spending.isSpent && isNext(stateRow.state, input)) {
      stateRow.lateFrom = BACKLOG_ONLY;
      stateRow.hasBacklog = true;
      break;
    }
    evaluateNext(stateRow, input, rules, { effects, checkpoints });
    spending.evaluated();
  }
  return { effects, checkpoints };
}

/** Whether an input is evaluated now, with the backlog of the device, or by a replay. */
export function timelinessOf({ lateFrom, state }: LockedState, first: Input): 'next' | 'backlog' | 'late' {
  if (!isNext(state, first)) return 'late';
  return lateFrom === null ? 'next' : lateFrom === BACKLOG_ONLY ? 'backlog' : 'late';
}

/** One input after the other, with a checkpoint before it where one is due. */
export function evaluateNext(
  stateRow: Pick<LockedState, 'state' | 'checkpointAt' | 'inputsSinceCheckpoint'>,
  input: Input,
  rules: Rules,
  into: { readonly effects: Effects; readonly checkpoints: Checkpoint[] },
): void {
  if (isCheckpointDue(stateRow, input.at)) {
    into.checkpoints.push({ at: stateRow.state.at, state: stateRow.state });
    stateRow.checkpointAt = stateRow.state.at;
    stateRow.inputsSinceCheckpoint = 0;
  }
  stateRow.state = advance(stateRow.state, input, rules, into.effects).state;
  stateRow.inputsSinceCheckpoint++;
}

export interface StepResult {
  readonly effects: Effects;
  readonly checkpoints: readonly Checkpoint[];
}

/** Mostly nothing follows that would have to be written down. */
export const hasEffects = ({ effects, checkpoints }: StepResult) =>
  checkpoints.length > 0 ||
  effects.firings.length > 0 ||
  effects.trips.length > 0 ||
  effects.stops.length > 0 ||
  effects.ignition.length > 0 ||
  effects.implausible.length > 0;

/** Writes down what followed from inputs that came in order. */
export async function saveEffects(
  tx: Tx,
  stateRow: LockedState,
  { effects, checkpoints }: StepResult,
  { now, oldNewsMs, mayBeNotified }: Pick<Recording, 'now' | 'oldNewsMs'> & { readonly mayBeNotified: MayBeNotified },
): Promise<RecordedNotification[]> {
  await saveCheckpoints(tx, stateRow.deviceId, checkpoints);
  for (const trip of effects.trips) await tx.insertInto('trips').values(tripRow(stateRow.deviceId, trip)).execute();
  for (const stop of effects.stops) await tx.insertInto('stops').values(stopRow(stateRow.deviceId, stop)).execute();
  await saveIgnition(tx, stateRow.deviceId, effects.ignition);
  const { implausible } = effects;
  if ((await markJudged(tx, implausible, 'implausible')) < implausible.length)
    await markPacked(tx, stateRow.deviceId, implausible);
  const { deviceId, deviceName } = stateRow;
  const recording = { deviceId, deviceName, now, late: false, oldNewsMs, mayBeNotified };
  const reported = effects.firings.filter(({ decidedAt }) => decidedAt > stateRow.silentUntil);
  return recordFirings(tx, reported, recording);
}
