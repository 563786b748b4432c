import type { Kysely } from 'kysely';
import { send } from '../../delivery/send.ts';
import type { SendingPolicy } from '../../delivery/sending-policy.ts';
import { appendLiveEvents, type LiveEvent } from '../../live/append-live-events.ts';
import { correctJourneys } from '../../motion/journeys.ts';
import { correctIgnition } from '../../motion/motion.ts';
import { markPackedWithin } from '../../positions/edit-packed.ts';
import { markJudged } from '../../positions/write.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { advance, type Effects, noEffects } from '../evaluate/advance.ts';
import type { DeviceState } from '../evaluate/device-state.ts';
import { isNext, type Rules, wasClock } from '../evaluate/inputs.ts';
import { evaluateNext } from '../state/apply-effects.ts';
import { budgetOf, Spending, TRANSACTION_UNITS } from '../state/budget.ts';
import { motionEvents, notificationEvents } from '../state/live-events.ts';
import { BACKLOG_ONLY, type LockedState, lockState, readState } from '../state/lock-state.ts';
import { saveOwnFences } from '../state/own-fences.ts';
import type { DeviceRules, RulesCache } from '../state/rules-cache.ts';
import { type Checkpoint, isBehind, saveCheckpoints, saveState, settlesAt } from '../state/save-state.ts';
import {
  correctNotifications,
  type IsLate,
  type NotificationChanges,
  type NotificationPlan,
  partsOf,
  planNotifications,
} from './correct-notifications.ts';
import {
  acquireReplay,
  holdReplay,
  lateMeanwhile,
  type ReplayStart,
  releaseReplay,
  renewReplay,
} from './replay-lease.ts';
import { inputsAfter } from './stored-inputs.ts';

/**
 * Evaluates a device again from its last checkpoint before the late mark, and corrects what follows from it. What comes while
 * it runs does not undo that: the next replay evaluates it, so that a device that never pauses is evaluated nevertheless.
 */

/** How long this thread evaluates before it lets other work run. */
const SLICE_MS = 5;
const ROUNDS = 2;
/** At most this many rows in one statement. */
const AT_ONCE = 500;
/** At most this many notifications are changed in one transaction; those before the last do so ahead of the rest. */
const CHANGES_AT_ONCE = 100;

export interface Correction extends NotificationChanges {
  readonly deviceId: number;
  /** Whether more came while it ran, so that there is still something to evaluate. */
  readonly isOpen: boolean;
}

interface Outcome {
  readonly state: DeviceState;
  readonly effects: Effects;
  readonly checkpoints: readonly Checkpoint[];
  readonly checkpointAt: number;
  readonly inputsSinceCheckpoint: number;
  /** Whether the budget was spent before the last input. */
  readonly isCut: boolean;
}

/**
 * @param owner names the process, where it is not this one
 * @param units how much that was never evaluated before it evaluates, see `Budget`
 * @returns undefined where there is nothing to do; `overtaken` where its rules changed again and again while it ran
 */
export async function replay(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  clock: () => number,
  owner?: string,
  units = TRANSACTION_UNITS,
): Promise<Correction | 'overtaken' | undefined> {
  for (let round = 0; round < ROUNDS; round++) {
    const start = await acquireReplay(store, deviceId, clock(), owner);
    if (start === undefined) return undefined;
    const rules = await rulesCache.rulesFor(deviceId, start.rulesVersion, clock(), start.state.at);
    const outcome = await runAgain(store, deviceId, start, rules, { clock, units });
    const done = await correct(store, deviceId, start, { ...outcome, rules, policy: rulesCache.policy }, clock);
    if (done) return done;
  }
  return 'overtaken';
}

/**
 * Between load and commit everything is pure. A long replay lets other work run in between. What was never evaluated before
 * is evaluated only as far as the budget goes: there may be very much of it, and it can wait for its turn.
 */
async function runAgain(
  store: Store,
  deviceId: number,
  start: ReplayStart,
  rules: Rules,
  { clock, units }: { readonly clock: () => number; readonly units: number },
): Promise<Outcome> {
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const { owner, state, checkpointAt, inputsSinceCheckpoint, evaluatedUntil } = start;
  let { leaseUntil } = start;
  const stateRow = { state, checkpointAt, inputsSinceCheckpoint };
  let sliceEnds = performance.now() + SLICE_MS;
  let spending: Spending | undefined;
  // The instant of the state may have been cut.
  for await (const inputs of inputsAfter(store, deviceId, state.at - 1)) {
    for (const input of inputs) {
      if (!isNext(state, input)) continue;
      if (spending === undefined && evaluatedUntil !== undefined && input.at > evaluatedUntil) {
        spending = new Spending(budgetOf(units), effects);
      }
      if (spending?.isSpent && isNext(stateRow.state, input)) return { ...stateRow, effects, checkpoints, isCut: true };
      evaluateNext(stateRow, input, rules, { effects, checkpoints });
      spending?.evaluated();
      if (performance.now() > sliceEnds) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceEnds = performance.now() + SLICE_MS;
      }
    }
    leaseUntil = await renewReplay(store, deviceId, { owner, leaseUntil }, clock());
  }
  return { ...stateRow, effects, checkpoints, isCut: false };
}

type Evaluated = Outcome & { readonly rules: DeviceRules; readonly policy: SendingPolicy };

/**
 * Writes what the replay found out. Where very many notifications change, that takes several transactions: a process that
 * dies in between leaves the marks, and the next replay finds the rest still to be done.
 * @returns undefined where the rules were changed meanwhile, or another process took over: then it is evaluated once more
 */
async function correct(
  store: Store,
  deviceId: number,
  start: ReplayStart,
  outcome: Evaluated,
  clock: () => number,
): Promise<Correction | undefined> {
  const { evaluatedUntil, hasBacklog } = start;
  // Without a backlog, inputs in order waited for the late ones, and their notifications count as late too.
  const isLate: IsLate = ({ decidedAt }) => !hasBacklog || evaluatedUntil === undefined || decidedAt <= evaluatedUntil;
  const written: Mutable<NotificationChanges> = { added: [], retracted: [] };
  for (;;) {
    const seen = await readState(store.query, deviceId);
    if (seen === undefined) return { deviceId, ...written, isOpen: false };
    const passed = passClock(outcome, seen, start, clock());
    const plan = await planNotifications(
      store.query,
      { ...seen, mayBeNotified: outcome.rules.mayBeNotified },
      start.state.at,
      passed.effects.firings,
      isLate,
    );
    const parts = partsOf(plan, CHANGES_AT_ONCE);
    const last = parts.pop()!;
    for (const part of parts) {
      const changes = await store.transaction((tx) =>
        writeAhead(tx, seen, start, passed, part, { now: clock(), isLate }),
      );
      if (changes === undefined) return undefined;
      written.added.push(...changes.added);
      written.retracted.push(...changes.retracted);
    }
    const done = await store.transaction((tx) => finish(tx, start, passed, last, { now: clock(), isLate, seen }));
    if (done === 'reportedMeanwhile') continue;
    if (done === undefined) return undefined;
    return { ...done, added: [...written.added, ...done.added], retracted: [...written.retracted, ...done.retracted] };
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? Item[] : T[K] };

interface Passed extends Evaluated {
  /** Whether nothing came while it ran, so that the clock decided what is due by now. */
  readonly isSettled: boolean;
}

/** What the clock decides after the last input. */
function passClock(outcome: Evaluated, seen: LockedState, { reportedAt }: ReplayStart, now: number): Passed {
  const isSettled =
    !outcome.isCut &&
    lateMeanwhile(seen.lateFrom) === null &&
    (reportedAt === null || !isBehind(outcome.state.at, reportedAt) || settlesAt(reportedAt) <= now);
  // What the clock decided before still stands where nothing contradicts it, though more reports may be on their way.
  const clockAt = isSettled ? now : wasClock(seen.state) ? seen.state.at : undefined;
  if (clockAt === undefined) return { ...outcome, isSettled };
  const { firings, trips, stops } = outcome.effects;
  const effects = { ...outcome.effects, firings: [...firings], trips: [...trips], stops: [...stops] };
  const { state } = advance(outcome.state, { kind: 'clock', at: clockAt }, outcome.rules, effects);
  return { ...outcome, state, effects, isSettled };
}

async function writeAhead(
  tx: Kysely<Tables>,
  { deviceId }: LockedState,
  start: ReplayStart,
  passed: Passed,
  part: NotificationPlan,
  writing: Writing,
): Promise<NotificationChanges | undefined> {
  const stateRow = await lockState(tx, deviceId);
  if (stateRow?.rulesVersion !== start.rulesVersion) return undefined;
  if (!(await holdReplay(tx, deviceId, start.owner, writing.now))) return undefined;
  const changes = await writePart(tx, stateRow, passed, part, writing);
  await appendLiveEvents(tx, correctionEvents({ deviceId, ...changes }), writing.now);
  return changes;
}

interface Writing {
  readonly now: number;
  readonly isLate: IsLate;
}

/** Corrects some notifications, and records the resulting deliveries. */
async function writePart(
  tx: Kysely<Tables>,
  { deviceId, deviceName }: Pick<LockedState, 'deviceId' | 'deviceName'>,
  { rules, policy }: Evaluated,
  part: NotificationPlan,
  writing: Writing,
): Promise<NotificationChanges> {
  const device = { deviceId, deviceName, oldNewsMs: policy.oldNewsMs, mayBeNotified: rules.mayBeNotified };
  const { added, retracted } = await correctNotifications(tx, device, part, writing);
  const outgoing = { deviceId, forwarders: rules.forwarders, notifications: added, retracted };
  if (added.length > 0 || retracted.length > 0) await send(tx, policy, [outgoing], writing.now);
  return { added, retracted };
}

async function finish(
  tx: Kysely<Tables>,
  start: ReplayStart,
  passed: Passed,
  part: NotificationPlan,
  { seen, ...writing }: Writing & { readonly seen: LockedState },
): Promise<Correction | 'reportedMeanwhile' | undefined> {
  const { deviceId } = seen;
  const stateRow = await lockState(tx, deviceId);
  if (stateRow === undefined) return { deviceId, added: [], retracted: [], isOpen: false };
  const late = lateMeanwhile(stateRow.lateFrom);
  if (passed.isSettled && late !== null) return 'reportedMeanwhile';
  if (stateRow.rulesVersion !== start.rulesVersion || !(await releaseReplay(tx, deviceId, start.owner)))
    return undefined;
  const after = start.state.at;
  const { effects, rules, isCut } = passed;
  const before = stateRow.state;
  stateRow.lateFrom = late ?? (isCut ? BACKLOG_ONLY : null);
  stateRow.hasBacklog = isCut;
  stateRow.state = passed.state;
  stateRow.checkpointAt = passed.checkpointAt;
  stateRow.inputsSinceCheckpoint = passed.inputsSinceCheckpoint;
  await correctJourneys(tx, deviceId, after, effects);
  await correctIgnition(tx, deviceId, after, effects.ignition);
  await correctMarks(tx, deviceId, { after, implausible: effects.implausible });
  const changes = await writePart(tx, stateRow, passed, part, writing);
  await tx.deleteFrom('checkpoints').where('deviceId', '=', deviceId).where('at', '>', after).execute();
  await saveCheckpoints(tx, deviceId, passed.checkpoints);
  await saveState(tx, stateRow, start.reportedAt);
  await saveOwnFences(tx, stateRow, rules);
  const corrected = { deviceId, ...changes, isOpen: stateRow.lateFrom !== null };
  const liveEvents = [...correctionEvents(corrected), ...motionEvents(deviceId, before, stateRow.state)];
  await appendLiveEvents(tx, liveEvents, writing.now);
  return corrected;
}

/** A retraction is streamed only where the notification was, so not for one that was suppressed. */
function correctionEvents({ deviceId, added, retracted }: Omit<Correction, 'isOpen'>): LiveEvent[] {
  const wrong = retracted.filter(({ status }) => status === 'valid');
  return [
    ...wrong.map(
      ({ id, userId, triggerId, reason }): LiveEvent => ({
        kind: 'retraction',
        deviceId,
        userId,
        event: { id, deviceId, triggerId, reason },
      }),
    ),
    ...notificationEvents(added),
  ];
}

interface CorrectedMarks {
  readonly after: number;
  readonly until?: number;
  readonly implausible: readonly number[];
}

export async function correctMarks(
  tx: Kysely<Tables>,
  deviceId: number,
  { after, until = Number.MAX_SAFE_INTEGER, implausible }: CorrectedMarks,
): Promise<void> {
  await markPackedWithin(tx, deviceId, { from: after + 1, to: until }, implausible);
  const marked = await tx
    .selectFrom('points')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>', after)
    .where('timestamp', '<=', until)
    .where('judged', '=', 'implausible')
    .execute();
  const isStill = new Set(implausible);
  const wasMarked = new Set(marked.map(({ id }) => id));
  const sound = [...wasMarked].filter((id) => !isStill.has(id));
  // Packed positions are marked already.
  const wrong = implausible.filter((id) => !wasMarked.has(id));
  for (let start = 0; start < sound.length; start += AT_ONCE)
    await markJudged(tx, sound.slice(start, start + AT_ONCE), null);
  for (let start = 0; start < wrong.length; start += AT_ONCE)
    await markJudged(tx, wrong.slice(start, start + AT_ONCE), 'implausible');
}
