import type { Kysely } from 'kysely';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { send } from '../../sending/send.ts';
import { type Effects, noEffects } from '../judge/advance.ts';
import type { DeviceState } from '../judge/device-state.ts';
import { isNext, type Rules } from '../judge/inputs.ts';
import { hasOwnFences, judgeNext, saveEffects, saveOwnFences } from '../state/apply-effects.ts';
import { budgetOf, Spending } from '../state/budget.ts';
import type { Checkpoint } from '../state/checkpoints.ts';
import { motionEvents, notificationEvents } from '../state/live-events.ts';
import { type LockedState, lockState, REST_ONLY, readState } from '../state/lock-state.ts';
import type { DeviceRules, RulesCache } from '../state/rules-cache.ts';
import { saveState } from '../state/save-state.ts';
import { someInputs } from './stored-inputs.ts';

/**
 * Judges what a report brought beyond the budget of its transaction, one slice at a time. It came in order, so it is judged
 * and told as if it had been judged with its report. No lease is needed: a slice holds only where the state is still the one
 * that it began with.
 */

/** A slice is judged in one go on this thread and written in one go, so it is less than a transaction of reports may do. */
const SLICE_UNITS = 1000;
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
  const slice = await judgeSlice(store, seen, rules, Math.min(units, SLICE_UNITS));
  return store.transaction((tx) => saveSlice(tx, store, rulesCache, { seen, rules, slice }, clock()));
}

async function judgeSlice(store: Store, seen: LockedState, rules: Rules, units: number): Promise<Slice> {
  const { deviceId, state, checkpointAt, sinceCheckpoint } = seen;
  const stateRow = { state, checkpointAt, sinceCheckpoint };
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const spending = new Spending(budgetOf(units), effects);
  // The instant of the state may have been cut.
  let from = state.at - 1;
  for (let wanted = FEW_INPUTS; ; wanted = Math.min(wanted * 2, MANY_INPUTS)) {
    const { inputs, until } = await someInputs(store.query, deviceId, from, wanted);
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

async function saveSlice(
  tx: Kysely<Tables>,
  store: Store,
  { policy }: RulesCache,
  { seen, rules, slice }: { seen: LockedState & { heardAt: number | null }; rules: DeviceRules; slice: Slice },
  now: number,
): Promise<'more' | 'done'> {
  const { deviceId } = seen;
  const stateRow = await lockState(tx, store.storeKind, deviceId);
  if (stateRow === undefined) return 'done';
  const { at, order } = seen.stored.state;
  const isSame = stateRow.state.at === at && stateRow.state.order === order && stateRow.rules === seen.rules;
  if (!isSame || stateRow.lateFrom !== REST_ONLY) return 'more';
  const before = stateRow.state;
  stateRow.state = slice.state;
  stateRow.checkpointAt = slice.checkpointAt;
  stateRow.sinceCheckpoint = slice.sinceCheckpoint;
  // Whatever was appended since the inputs were read has left no other mark.
  const isDone = slice.isLast && stateRow.writes === seen.writes;
  if (isDone) {
    stateRow.lateFrom = null;
    stateRow.hasRest = false;
  }
  const notifications = await saveEffects(tx, store.storeKind, stateRow, slice, {
    now,
    ...policy,
    mayBeTold: rules.mayBeTold,
  });
  await saveState(tx, store.storeKind, stateRow, seen.heardAt);
  if (hasOwnFences(stateRow, rules)) await saveOwnFences(tx, stateRow, rules);
  if (notifications.length > 0)
    await send(tx, store.storeKind, policy, [{ deviceId, forwarders: rules.forwarders, notifications }], now);
  const liveEvents = [...notificationEvents(notifications), ...motionEvents(deviceId, before, stateRow.state)];
  await appendLiveEvents(tx, store.storeKind, liveEvents, now);
  return isDone ? 'done' : 'more';
}
