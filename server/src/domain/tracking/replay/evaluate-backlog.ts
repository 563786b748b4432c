import type { Kysely } from 'kysely';
import { send } from '../../delivery/send.ts';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { type Effects, noEffects } from '../evaluate/advance.ts';
import type { DeviceState } from '../evaluate/device-state.ts';
import { isNext, type Rules } from '../evaluate/inputs.ts';
import { evaluateNext, saveEffects } from '../state/apply-effects.ts';
import { budgetOf, Spending } from '../state/budget.ts';
import { motionEvents, notificationEvents } from '../state/live-events.ts';
import { BACKLOG_ONLY, type LockedState, lockState, readState } from '../state/lock-state.ts';
import { hasOwnFences, saveOwnFences } from '../state/own-fences.ts';
import type { DeviceRules, RulesCache } from '../state/rules-cache.ts';
import { type Checkpoint, saveState } from '../state/save-state.ts';
import { someInputs } from './stored-inputs.ts';

/**
 * Evaluates what a report brought beyond the budget of its transaction, one slice at a time. It came in order, so it is
 * evaluated and sends notifications as if it had been evaluated with its report. No lease is needed: a slice holds only where
 * the row is still the one that it began with.
 */

/** A slice is evaluated in one go on this thread and written in one go, so it is less than a transaction of reports may do. */
const SLICE_UNITS = 500;
/** How many inputs are read for a slice. */
const FEW_INPUTS = 64;
const MANY_INPUTS = 1024;

interface BacklogOptions {
  readonly clock: () => number;
  /** How much one transaction evaluates, see `Budget`. */
  readonly units: number;
}

interface Slice {
  readonly state: DeviceState;
  readonly checkpointAt: number;
  readonly inputsSinceCheckpoint: number;
  readonly effects: Effects;
  readonly checkpoints: readonly Checkpoint[];
  /** Whether nothing is left. */
  readonly isLast: boolean;
}

/** Undefined where no rest waits, or something late does, which a replay must evaluate first. */
export async function evaluateBacklog(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  { clock, units }: BacklogOptions,
): Promise<'more' | 'done' | undefined> {
  const seen = await readState(store.query, deviceId);
  if (seen === undefined || seen.lateFrom !== BACKLOG_ONLY) return undefined;
  const rules = await rulesCache.rulesFor(deviceId, seen.rulesVersion, clock(), seen.state.at);
  const evaluate = (query: Kysely<Tables>, stateRow: LockedState) =>
    evaluateSlice(query, stateRow, rules, Math.min(units, SLICE_UNITS));
  const slice = await evaluate(store.query, seen);
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, deviceId);
    if (stateRow === undefined) return 'done';
    if (stateRow.lateFrom !== BACKLOG_ONLY || stateRow.rulesVersion !== seen.rulesVersion) return 'more';
    // What was appended meanwhile may come before the end of the slice. It is evaluated again then, while the state row is
    // locked.
    const isSame = stateRow.version === seen.version;
    const current = isSame ? slice : await evaluate(tx, stateRow);
    const reportedAt = isSame ? seen.reportedAt : (await readState(tx, deviceId))!.reportedAt;
    await saveSlice(tx, rulesCache, { stateRow, rules, slice: current, reportedAt }, clock());
    return current.isLast ? 'done' : 'more';
  });
}

async function evaluateSlice(query: Kysely<Tables>, seen: LockedState, rules: Rules, units: number): Promise<Slice> {
  const { deviceId, state, checkpointAt, inputsSinceCheckpoint } = seen;
  const stateRow = { state, checkpointAt, inputsSinceCheckpoint };
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const spending = new Spending(budgetOf(units), effects);
  // The instant of the state may have been cut.
  let from = state.at - 1;
  for (let wanted = FEW_INPUTS; ; wanted = Math.min(wanted * 2, MANY_INPUTS)) {
    const { inputs, until } = await someInputs(query, deviceId, from, wanted);
    for (const input of inputs) {
      if (!isNext(state, input)) continue;
      if (spending.isSpent && isNext(stateRow.state, input))
        return { ...stateRow, effects, checkpoints, isLast: false };
      evaluateNext(stateRow, input, rules, { effects, checkpoints });
      spending.evaluated();
    }
    if (until === undefined) return { ...stateRow, effects, checkpoints, isLast: true };
    from = until;
  }
}

interface Evaluated {
  readonly stateRow: LockedState;
  readonly rules: DeviceRules;
  readonly slice: Slice;
  readonly reportedAt: number | null;
}

async function saveSlice(
  tx: Kysely<Tables>,
  { policy }: RulesCache,
  { stateRow, rules, slice, reportedAt }: Evaluated,
  now: number,
): Promise<void> {
  const { deviceId, state: before } = stateRow;
  stateRow.state = slice.state;
  stateRow.checkpointAt = slice.checkpointAt;
  stateRow.inputsSinceCheckpoint = slice.inputsSinceCheckpoint;
  if (slice.isLast) {
    stateRow.lateFrom = null;
    stateRow.hasBacklog = false;
  }
  const recording = { now, ...policy, mayBeNotified: rules.mayBeNotified };
  const notifications = await saveEffects(tx, stateRow, slice, recording);
  await saveState(tx, stateRow, reportedAt);
  if (hasOwnFences(stateRow, rules)) await saveOwnFences(tx, stateRow, rules);
  if (notifications.length > 0)
    await send(tx, policy, [{ deviceId, forwarders: rules.forwarders, notifications }], now);
  const liveEvents = [...notificationEvents(notifications), ...motionEvents(deviceId, before, stateRow.state)];
  await appendLiveEvents(tx, liveEvents, now);
}
