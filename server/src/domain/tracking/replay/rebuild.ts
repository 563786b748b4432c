import type { Kysely } from 'kysely';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import { correctIgnition } from '../../motion/ignition.ts';
import { correctJourneys } from '../../motion/journeys.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { type Effects, noEffects } from '../judge/advance.ts';
import type { DeviceState } from '../judge/device-state.ts';
import { isNext, type Rules } from '../judge/inputs.ts';
import { judgeNext } from '../state/apply-effects.ts';
import { type Checkpoint, saveCheckpoints } from '../state/checkpoints.ts';
import { motionEvents } from '../state/live-events.ts';
import { lockState } from '../state/lock-state.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { saveState } from '../state/save-state.ts';
import { importsDone } from './end-import.ts';
import { correctMarks } from './replay.ts';
import { acquireReplay, lateMeanwhile, type ReplayStart, releaseReplay } from './replay-lease.ts';
import { inputsAfter } from './stored-inputs.ts';

/**
 * Judges a device again from where imported history begins, whatever its age: a slice in each turn, so that neither the
 * writer nor other devices wait for all of it. Trips, stops, the ignition, marks and checkpoints of the slice are
 * replaced; notifications stay as they are. A process that dies leaves the rest to whoever comes next. In the end a
 * replay judges what came meanwhile.
 */

/** How many inputs are judged in one turn. */
const SLICE_INPUTS = 1000;
/** How long this thread judges before it lets other work run. */
const SLICE_MS = 5;

interface Slice {
  readonly state: DeviceState;
  readonly checkpointAt: number;
  readonly sinceCheckpoint: number;
  readonly effects: Effects;
  readonly checkpoints: readonly Checkpoint[];
  /** Whether everything was judged that had been judged before. */
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
    .where('rebuilds', '=', 1)
    .executeTakeFirst();
  if (waits === undefined) return undefined;
  const start = await acquireReplay(store, deviceId, clock());
  if (start === undefined) return 'done';
  const rules = await rulesCache.rulesFor(deviceId, start.rules, clock());
  const slice = await judgeSlice(store, deviceId, start, rules);
  await store.transaction((tx) => saveSlice(tx, store, deviceId, start, slice, clock()));
  // In its next turn the rest of it, or what came meanwhile.
  return 'more';
}

async function judgeSlice(store: Store, deviceId: number, start: ReplayStart, rules: Rules): Promise<Slice> {
  const { state, checkpointAt, sinceCheckpoint, judgedUntil = Number.MAX_SAFE_INTEGER } = start;
  const stateRow = { state, checkpointAt, sinceCheckpoint };
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const slice = (isLast: boolean) => ({ ...stateRow, effects, checkpoints, isLast });
  let left = SLICE_INPUTS;
  let pauseAt = performance.now() + SLICE_MS;
  for await (const inputs of inputsAfter(store, deviceId, state.at - 1))
    for (const input of inputs) {
      if (!isNext(state, input)) continue;
      const isOtherInstant = input.at > stateRow.state.at;
      if (isOtherInstant && input.at > judgedUntil) return slice(true);
      if (isOtherInstant && left <= 0) return slice(false);
      judgeNext(stateRow, input, rules, { effects, checkpoints });
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
  { storeKind }: Store,
  deviceId: number,
  start: ReplayStart,
  { state, checkpointAt, sinceCheckpoint, effects, checkpoints, isLast }: Slice,
  now: number,
): Promise<void> {
  const stateRow = await lockState(tx, storeKind, deviceId);
  if (stateRow === undefined || stateRow.rules !== start.rules) return;
  const goesOnFrom = isLast ? null : state.at + 1;
  if (!(await releaseReplay(tx, storeKind, deviceId, start.owner, goesOnFrom))) return;
  const [after, until] = [start.state.at, state.at];
  await correctJourneys(tx, deviceId, after, effects, until);
  await correctIgnition(tx, deviceId, after, effects.ignition, until);
  await correctMarks(tx, storeKind, deviceId, { after, until, implausible: effects.implausible });
  await tx
    .deleteFrom('checkpoints')
    .where('deviceId', '=', deviceId)
    .where('at', '>', after)
    .where('at', '<=', until)
    .execute();
  const reached = until > after ? [{ at: until, state }] : [];
  await saveCheckpoints(tx, storeKind, deviceId, [...checkpoints, ...reached]);
  if (!isLast) return;
  const before = stateRow.state;
  Object.assign(stateRow, { state, checkpointAt, sinceCheckpoint });
  stateRow.lateFrom = Math.min(lateMeanwhile(stateRow.lateFrom) ?? Number.MAX_SAFE_INTEGER, state.at + 1);
  await importsDone(tx, deviceId);
  await tx.updateTable('deviceStates').set({ rebuilds: 0 }).where('deviceId', '=', deviceId).execute();
  await saveState(tx, storeKind, stateRow, start.heardAt);
  await appendLiveEvents(tx, storeKind, motionEvents(deviceId, before, state), now);
}
