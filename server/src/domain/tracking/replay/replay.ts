import type { Kysely } from 'kysely';
import { type Telling, tell } from '../../live/tell.ts';
import { correctJourneys } from '../../motion/journeys.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { postOutgoing } from '../../sending/send.ts';
import type { House } from '../../sending/sending-policy.ts';
import { advance, type Effects, noEffects } from '../judge/advance.ts';
import type { DeviceState } from '../judge/device-state.ts';
import { type Rules, wasClock } from '../judge/inputs.ts';
import { judgeNext, noteZones } from '../state/apply-effects.ts';
import { type Checkpoint, keepCheckpoints, keepLine, takeLine } from '../state/device-state-row.ts';
import { motionTellings, notificationTellings } from '../state/live-events.ts';
import type { DeviceRules, RuleShelf } from '../state/rules-cache.ts';
import { isBehind, settlesAt } from '../state/settling.ts';
import { correctNotifications, type NotificationChanges } from './correct-notifications.ts';
import { cameMeanwhile, keepInHand, letGo, type Start, takeInHand } from './replay-lease.ts';
import { inputsAfter } from './stored-inputs.ts';

/**
 * Judges a device again from the last place before what came late, and corrects what follows from it. What comes while it
 * runs does not undo that: it is judged by the next replay, so that a device that never pauses is judged nevertheless.
 */

const SLICE_MS = 10;
const ROUNDS = 2;
/** A statement names so many rows at the most. */
const AT_ONCE = 500;

export interface Corrected extends NotificationChanges {
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
 * @param holder names the process, where it is not this one
 * @returns undefined where there is nothing to do; `overtaken` where its rules changed again and again while it ran
 */
export async function replay(
  store: Store,
  shelf: RuleShelf,
  deviceId: number,
  clock: () => number,
  holder?: string,
): Promise<Corrected | 'overtaken' | undefined> {
  for (let round = 0; round < ROUNDS; round++) {
    const start = await takeInHand(store, deviceId, clock(), holder);
    if (start === undefined) return undefined;
    const rules = await shelf.rulesFor(deviceId, start.rules, clock());
    const outcome = await runAgain(store, deviceId, start, rules, clock);
    const done = await store.transaction((tx) =>
      correct(tx, store, deviceId, start, { ...outcome, rules, house: shelf.house }, clock()),
    );
    if (done) return done;
  }
  return 'overtaken';
}

/** Between load and commit everything is pure; long ones let others have a turn. */
async function runAgain(
  store: Store,
  deviceId: number,
  start: Start,
  rules: Rules,
  clock: () => number,
): Promise<Outcome> {
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const { by, state, checkpointAt, sinceCheckpoint } = start;
  let { leaseEnds } = start;
  const line = { state, checkpointAt, sinceCheckpoint };
  let sliceEnds = performance.now() + SLICE_MS;
  for await (const inputs of inputsAfter(store, deviceId, state.at)) {
    for (const input of inputs) {
      judgeNext(line, input, rules, { effects, checkpoints });
      if (performance.now() > sliceEnds) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceEnds = performance.now() + SLICE_MS;
      }
    }
    leaseEnds = await keepInHand(store, deviceId, { by, leaseEnds }, clock());
  }
  return { ...line, effects, checkpoints };
}

/** Undefined where the rules were changed meanwhile, or another process took over: then it is judged once more. */
async function correct(
  tx: Kysely<Tables>,
  store: Store,
  deviceId: number,
  start: Start,
  outcome: Outcome & { readonly rules: DeviceRules; readonly house: House },
  now: number,
): Promise<Corrected | undefined> {
  const line = await takeLine(tx, store.engine, deviceId);
  if (line === undefined) return { deviceId, added: [], retracted: [], isOpen: false };
  if (line.rules !== start.rules || !(await letGo(tx, deviceId, start.by))) return undefined;
  const after = start.state.at;
  const { effects, rules, house } = outcome;
  const before = line.state;
  line.dirtyFrom = cameMeanwhile(line.dirtyFrom);
  const { heardAt } = start;
  const isSettled =
    line.dirtyFrom === null && (heardAt === null || !isBehind(outcome.state.at, heardAt) || settlesAt(heardAt) <= now);
  // What the clock has decided before stands where nothing speaks against it, though more may be on its way.
  const clockAt = isSettled ? now : wasClock(before) ? before.at : undefined;
  line.state =
    clockAt === undefined
      ? outcome.state
      : advance(outcome.state, { kind: 'clock', at: clockAt }, rules, effects).state;
  line.checkpointAt = outcome.checkpointAt;
  line.sinceCheckpoint = outcome.sinceCheckpoint;
  await correctJourneys(tx, deviceId, after, effects);
  await correctMarks(tx, deviceId, after, effects.implausible);
  const device = { deviceId, deviceName: line.deviceName, oldNewsMs: house.oldNewsMs };
  const { added, retracted } = await correctNotifications(tx, store.engine, device, after, effects.firings, now);
  await tx.deleteFrom('checkpoints').where('deviceId', '=', deviceId).where('at', '>', after).execute();
  await keepCheckpoints(tx, deviceId, outcome.checkpoints);
  await keepLine(tx, store.engine, line, heardAt);
  await noteZones(tx, line, rules);
  if (added.length > 0 || retracted.length > 0)
    await postOutgoing(
      tx,
      store.engine,
      house,
      [{ deviceId, forwarders: rules.forwarders, notifications: added, retracted }],
      now,
    );
  const corrected = { deviceId, added, retracted, isOpen: line.dirtyFrom !== null };
  const tellings = [...correctionTellings(corrected), ...motionTellings(deviceId, before, line.state)];
  await tell(tx, store.engine, tellings, now);
  return corrected;
}

/** Who was told of something that did not happen is told so; who was not told before is not told now. */
function correctionTellings({ deviceId, added, retracted }: Corrected): Telling[] {
  const wrong = retracted.filter(({ status }) => status === 'valid');
  return [
    ...wrong.map(
      ({ id, userId, triggerId, reason }): Telling => ({
        kind: 'retraction',
        deviceId,
        userId,
        event: { id, deviceId, triggerId, reason },
      }),
    ),
    ...notificationTellings(added),
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
