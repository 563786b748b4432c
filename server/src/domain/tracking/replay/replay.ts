import type { Kysely } from 'kysely';
import { appendLiveEvents, type LiveEvent } from '../../live/append-live-events.ts';
import { correctJourneys } from '../../motion/journeys.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { send } from '../../sending/send.ts';
import type { SendingPolicy } from '../../sending/sending-policy.ts';
import { advance, type Effects, noEffects } from '../judge/advance.ts';
import type { DeviceState } from '../judge/device-state.ts';
import { type Rules, wasClock } from '../judge/inputs.ts';
import { judgeNext, saveOwnFences } from '../state/apply-effects.ts';
import { type Checkpoint, saveCheckpoints } from '../state/checkpoints.ts';
import { motionEvents, notificationEvents } from '../state/live-events.ts';
import { lockState } from '../state/lock-state.ts';
import type { DeviceRules, RulesCache } from '../state/rules-cache.ts';
import { saveState } from '../state/save-state.ts';
import { isBehind, settlesAt } from '../state/settling.ts';
import { correctNotifications, type NotificationChanges } from './correct-notifications.ts';
import { acquireReplay, lateMeanwhile, type ReplayStart, releaseReplay, renewReplay } from './replay-lease.ts';
import { inputsAfter } from './stored-inputs.ts';

/**
 * Judges a device again from its last checkpoint before the late mark, and corrects what follows from it. What comes while
 * it runs does not undo that: the next replay judges it, so that a device that never pauses is judged nevertheless.
 */

const SLICE_MS = 10;
const ROUNDS = 2;
/** At most this many rows in one statement. */
const AT_ONCE = 500;

export interface Correction extends NotificationChanges {
  readonly deviceId: number;
  /** Whether more came while it ran, so that there is still something to judge. */
  readonly isOpen: boolean;
}

interface Outcome {
  readonly state: DeviceState;
  readonly effects: Effects;
  readonly checkpoints: readonly Checkpoint[];
  readonly checkpointAt: number;
  readonly sinceCheckpoint: number;
}

/**
 * @param owner names the process, where it is not this one
 * @returns undefined where there is nothing to do; `overtaken` where its rules changed again and again while it ran
 */
export async function replay(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  clock: () => number,
  owner?: string,
): Promise<Correction | 'overtaken' | undefined> {
  for (let round = 0; round < ROUNDS; round++) {
    const start = await acquireReplay(store, deviceId, clock(), owner);
    if (start === undefined) return undefined;
    const rules = await rulesCache.rulesFor(deviceId, start.rules, clock());
    const outcome = await runAgain(store, deviceId, start, rules, clock);
    const done = await store.transaction((tx) =>
      correct(tx, store, deviceId, start, { ...outcome, rules, policy: rulesCache.policy }, clock()),
    );
    if (done) return done;
  }
  return 'overtaken';
}

/** Between load and commit everything is pure. A long replay lets other work run in between. */
async function runAgain(
  store: Store,
  deviceId: number,
  start: ReplayStart,
  rules: Rules,
  clock: () => number,
): Promise<Outcome> {
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const { owner, state, checkpointAt, sinceCheckpoint } = start;
  let { leaseUntil } = start;
  const stateRow = { state, checkpointAt, sinceCheckpoint };
  let sliceEnds = performance.now() + SLICE_MS;
  for await (const inputs of inputsAfter(store, deviceId, state.at)) {
    for (const input of inputs) {
      judgeNext(stateRow, input, rules, { effects, checkpoints });
      if (performance.now() > sliceEnds) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceEnds = performance.now() + SLICE_MS;
      }
    }
    leaseUntil = await renewReplay(store, deviceId, { owner, leaseUntil }, clock());
  }
  return { ...stateRow, effects, checkpoints };
}

/** Undefined where the rules were changed meanwhile, or another process took over: then it is judged once more. */
async function correct(
  tx: Kysely<Tables>,
  store: Store,
  deviceId: number,
  start: ReplayStart,
  outcome: Outcome & { readonly rules: DeviceRules; readonly policy: SendingPolicy },
  now: number,
): Promise<Correction | undefined> {
  const stateRow = await lockState(tx, store.storeKind, deviceId);
  if (stateRow === undefined) return { deviceId, added: [], retracted: [], isOpen: false };
  if (stateRow.rules !== start.rules || !(await releaseReplay(tx, store.storeKind, deviceId, start.owner)))
    return undefined;
  const after = start.state.at;
  const { effects, rules, policy } = outcome;
  const before = stateRow.state;
  stateRow.lateFrom = lateMeanwhile(stateRow.lateFrom);
  const { heardAt } = start;
  const isSettled =
    stateRow.lateFrom === null &&
    (heardAt === null || !isBehind(outcome.state.at, heardAt) || settlesAt(heardAt) <= now);
  // What the clock decided before still stands where nothing contradicts it, though more reports may be on their way.
  const clockAt = isSettled ? now : wasClock(before) ? before.at : undefined;
  stateRow.state =
    clockAt === undefined
      ? outcome.state
      : advance(outcome.state, { kind: 'clock', at: clockAt }, rules, effects).state;
  stateRow.checkpointAt = outcome.checkpointAt;
  stateRow.sinceCheckpoint = outcome.sinceCheckpoint;
  await correctJourneys(tx, deviceId, after, effects);
  await correctMarks(tx, deviceId, after, effects.implausible);
  const { deviceName } = stateRow;
  const device = { deviceId, deviceName, oldNewsMs: policy.oldNewsMs, mayBeTold: rules.mayBeTold };
  const { added, retracted } = await correctNotifications(tx, store.storeKind, device, after, effects.firings, now);
  await tx.deleteFrom('checkpoints').where('deviceId', '=', deviceId).where('at', '>', after).execute();
  await saveCheckpoints(tx, deviceId, outcome.checkpoints);
  await saveState(tx, store.storeKind, stateRow, heardAt);
  await saveOwnFences(tx, stateRow, rules);
  if (added.length > 0 || retracted.length > 0)
    await send(
      tx,
      store.storeKind,
      policy,
      [{ deviceId, forwarders: rules.forwarders, notifications: added, retracted }],
      now,
    );
  const corrected = { deviceId, added, retracted, isOpen: stateRow.lateFrom !== null };
  const liveEvents = [...correctionEvents(corrected), ...motionEvents(deviceId, before, stateRow.state)];
  await appendLiveEvents(tx, store.storeKind, liveEvents, now);
  return corrected;
}

/** A retraction is streamed only where the notification was, so not for one that was suppressed. */
function correctionEvents({ deviceId, added, retracted }: Correction): LiveEvent[] {
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

async function correctMarks(
  tx: Kysely<Tables>,
  deviceId: number,
  after: number,
  implausible: readonly number[],
): Promise<void> {
  await tx
    .updateTable('points')
    .set({ judged: null })
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>', after)
    .where('judged', '=', 'implausible')
    .execute();
  for (let start = 0; start < implausible.length; start += AT_ONCE)
    await tx
      .updateTable('points')
      .set({ judged: 'implausible' })
      .where('id', 'in', implausible.slice(start, start + AT_ONCE))
      .execute();
}
