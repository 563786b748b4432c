import type { Kysely } from 'kysely';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import { correctJourneys } from '../../motion/journeys.ts';
import { correctIgnition } from '../../motion/motion.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { type Effects, noEffects } from '../evaluate/advance.ts';
import type { DeviceState } from '../evaluate/device-state.ts';
import { isNext, type Rules } from '../evaluate/inputs.ts';
import { correctMarks } from '../replay/replay.ts';
import { acquireReplay, lateMeanwhile, type ReplayStart, releaseReplay } from '../replay/replay-lease.ts';
import { inputsAfter } from '../replay/stored-inputs.ts';
import { evaluateNext } from '../state/apply-effects.ts';
import { motionEvents } from '../state/live-events.ts';
import { lockState } from '../state/lock-state.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { type Checkpoint, saveCheckpoints, saveState } from '../state/save-state.ts';
import { importsDone } from './import-row.ts';

/**
 * Evaluates a device again from where imported history begins, at any age: a slice in each turn, so that neither the
 * writer nor other devices wait for all of it. Trips, stops, the ignition, marks and checkpoints of the slice are
 * replaced; notifications stay unchanged. If the process dies, another one continues. In the end a replay evaluates what
 * came meanwhile.
 */

/** How many inputs are evaluated in one turn. */
const SLICE_INPUTS = 1000;
/** How long this thread evaluates before it lets other work run. */
const SLICE_MS = 5;

interface Slice {
  readonly state: DeviceState;
  readonly checkpointAt: number;
  readonly inputsSinceCheckpoint: number;
  readonly effects: Effects;
  readonly checkpoints: readonly Checkpoint[];
  /** Whether everything was evaluated that had been evaluated before. */
  readonly isLast: boolean;
}

/** Undefined where no imported history waits. */
export async function rebuild(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  clock: () => number,
): Promise<'more' | 'done' | undefined> {
  const waits = await store.query
    .selectFrom('deviceStates')
    .select('deviceId')
    .where('deviceId', '=', deviceId)
    .where('isRebuilding', '=', 1)
    .executeTakeFirst();
  if (waits === undefined) return undefined;
  const start = await acquireReplay(store, deviceId, clock());
  if (start === undefined) return 'done';
  const rules = await rulesCache.rulesFor(deviceId, start.rulesVersion, clock(), start.state.at);
  const slice = await evaluateSlice(store, deviceId, start, rules);
  await store.transaction((tx) => saveSlice(tx, deviceId, start, slice, clock()));
  // In its next turn the rest of it, or what came meanwhile.
  return 'more';
}

async function evaluateSlice(store: Store, deviceId: number, start: ReplayStart, rules: Rules): Promise<Slice> {
  const { state, checkpointAt, inputsSinceCheckpoint, evaluatedUntil = Number.MAX_SAFE_INTEGER } = start;
  const stateRow = { state, checkpointAt, inputsSinceCheckpoint };
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const slice = (isLast: boolean) => ({ ...stateRow, effects, checkpoints, isLast });
  let left = SLICE_INPUTS;
  let pauseAt = performance.now() + SLICE_MS;
  for await (const inputs of inputsAfter(store, deviceId, state.at - 1))
    for (const input of inputs) {
      if (!isNext(state, input)) continue;
      const isOtherInstant = input.at > stateRow.state.at;
      if (isOtherInstant && input.at > evaluatedUntil) return slice(true);
      if (isOtherInstant && left <= 0) return slice(false);
      evaluateNext(stateRow, input, rules, { effects, checkpoints });
      left--;
      if (performance.now() > pauseAt) {
        await new Promise((resolve) => setImmediate(resolve));
        pauseAt = performance.now() + SLICE_MS;
      }
    }
  return slice(true);
}

async function saveSlice(
  tx: Kysely<Tables>,
  deviceId: number,
  start: ReplayStart,
  { state, checkpointAt, inputsSinceCheckpoint, effects, checkpoints, isLast }: Slice,
  now: number,
): Promise<void> {
  const stateRow = await lockState(tx, deviceId);
  if (stateRow === undefined || stateRow.rulesVersion !== start.rulesVersion) return;
  const goesOnFrom = isLast ? null : state.at + 1;
  if (!(await releaseReplay(tx, deviceId, start.owner, goesOnFrom))) return;
  const [after, until] = [start.state.at, state.at];
  await correctJourneys(tx, deviceId, after, effects, until);
  await correctIgnition(tx, deviceId, after, effects.ignition, until);
  await correctMarks(tx, deviceId, { after, until, implausible: effects.implausible });
  await tx
    .deleteFrom('checkpoints')
    .where('deviceId', '=', deviceId)
    .where('at', '>', after)
    .where('at', '<=', until)
    .execute();
  const reached = until > after ? [{ at: until, state }] : [];
  await saveCheckpoints(tx, deviceId, [...checkpoints, ...reached]);
  if (!isLast) return;
  const before = stateRow.state;
  Object.assign(stateRow, { state, checkpointAt, inputsSinceCheckpoint });
  stateRow.lateFrom = Math.min(lateMeanwhile(stateRow.lateFrom) ?? Number.MAX_SAFE_INTEGER, state.at + 1);
  await importsDone(tx, deviceId);
  await tx.updateTable('deviceStates').set({ isRebuilding: 0 }).where('deviceId', '=', deviceId).execute();
  await saveState(tx, stateRow, start.reportedAt);
  await appendLiveEvents(tx, motionEvents(deviceId, before, state), now);
}
