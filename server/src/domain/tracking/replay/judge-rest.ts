import type { Kysely } from 'kysely';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { send } from '../../sending/send.ts';
import { type Effects, noEffects } from '../judge/advance.ts';
import type { DeviceState } from '../judge/device-state.ts';
import { isNext, type Rules } from '../judge/inputs.ts';
import { judgeNext, saveEffects } from '../state/apply-effects.ts';
import { budgetOf, Spending } from '../state/budget.ts';
import type { Checkpoint } from '../state/checkpoints.ts';
import { motionEvents, notificationEvents } from '../state/live-events.ts';
import { type LockedState, lockState, REST_ONLY, readState } from '../state/lock-state.ts';
import { hasOwnFences, saveOwnFences } from '../state/own-fences.ts';
import type { DeviceRules, RulesCache } from '../state/rules-cache.ts';
import { saveState } from '../state/save-state.ts';
import { someInputs } from './stored-inputs.ts';

/**
 * Judges what a report brought beyond the budget of its transaction, one slice at a time. It came in order, so it is judged
 * and told as if it had been judged with its report. No lease is needed: a slice holds only where the row is still the one
 * that it began with.
 */

/** A slice is judged in one go on this thread and written in one go, so it is less than a transaction of reports may do. */
const SLICE_UNITS = 500;
/** How many inputs are read for a slice. */
const FEW_INPUTS = 64;
const MANY_INPUTS = 1024;

export interface RestOptions {
  readonly clock: () => number;
  /** How much judging one transaction does, see `Budget`. */
  readonly units: number;
}

interface Slice {
  readonly state: DeviceState;
  readonly checkpointAt: number;
  readonly sinceCheckpoint: number;
  readonly effects: Effects;
  readonly checkpoints: readonly Checkpoint[];
  /** Whether nothing is left. */
  readonly isLast: boolean;
}

/** Undefined where no rest waits, or something late does, which a replay must judge first. */
export async function judgeRest(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  { clock, units }: RestOptions,
): Promise<'more' | 'done' | undefined> {
  const seen = await readState(store.query, deviceId);
  if (seen === undefined || seen.lateFrom !== REST_ONLY) return undefined;
  const rules = await rulesCache.rulesFor(deviceId, seen.rules, clock());
  const judge = (query: Kysely<Tables>, stateRow: LockedState) =>
    judgeSlice(query, stateRow, rules, Math.min(units, SLICE_UNITS));
  const slice = await judge(store.query, seen);
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, store.storeKind, deviceId);
    if (stateRow === undefined) return 'done';
    if (stateRow.lateFrom !== REST_ONLY || stateRow.rules !== seen.rules) return 'more';
    // What was appended meanwhile may come before the end of the slice. It is judged anew then, while nobody can append.
    const isSame = stateRow.writes === seen.writes;
    const current = isSame ? slice : await judge(tx, stateRow);
    const heardAt = isSame ? seen.heardAt : (await readState(tx, deviceId))!.heardAt;
    await saveSlice(tx, store, rulesCache, { stateRow, rules, slice: current, heardAt }, clock());
    return current.isLast ? 'done' : 'more';
  });
}

async function judgeSlice(query: Kysely<Tables>, seen: LockedState, rules: Rules, units: number): Promise<Slice> {
  const { deviceId, state, checkpointAt, sinceCheckpoint } = seen;
  const stateRow = { state, checkpointAt, sinceCheckpoint };
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
      judgeNext(stateRow, input, rules, { effects, checkpoints });
      spending.judged();
    }
    if (until === undefined) return { ...stateRow, effects, checkpoints, isLast: true };
    from = until;
  }
}

interface Judged {
  readonly stateRow: LockedState;
  readonly rules: DeviceRules;
  readonly slice: Slice;
  readonly heardAt: number | null;
}

async function saveSlice(
  tx: Kysely<Tables>,
  store: Store,
  { policy }: RulesCache,
  { stateRow, rules, slice, heardAt }: Judged,
  now: number,
): Promise<void> {
  const { storeKind } = store;
  const { deviceId, state: before } = stateRow;
  stateRow.state = slice.state;
  stateRow.checkpointAt = slice.checkpointAt;
  stateRow.sinceCheckpoint = slice.sinceCheckpoint;
  if (slice.isLast) {
    stateRow.lateFrom = null;
    stateRow.hasRest = false;
  }
  const recording = { now, ...policy, mayBeTold: rules.mayBeTold };
  const notifications = await saveEffects(tx, storeKind, stateRow, slice, recording);
  await saveState(tx, storeKind, stateRow, heardAt);
  if (hasOwnFences(stateRow, rules)) await saveOwnFences(tx, store, stateRow, rules);
  if (notifications.length > 0)
    await send(tx, store, policy, [{ deviceId, forwarders: rules.forwarders, notifications }], now);
  const liveEvents = [...notificationEvents(notifications), ...motionEvents(deviceId, before, stateRow.state)];
  await appendLiveEvents(tx, storeKind, liveEvents, now);
}
