import { distanceM, type Place } from '../../../platform/sphere.ts';
import type { Located } from '../../fix.ts';
import type { Membership } from '../../geofences/membership.ts';
import type { Ignition, Motion } from '../../motion/motion.ts';
import type { TriggerState } from '../../triggers/evaluator.ts';

/** What is known of a device after its inputs up to a moment. Plain data, so that it can be kept and compared. */
export interface DeviceState {
  /**
   * The place of the last input in the order of inputs: its time, and what distinguishes it from other inputs of that
   * time.
   */
  readonly at: number;
  readonly order: string;
  readonly motion?: Motion;
  /** Absent while nothing was said about it. */
  readonly ignition?: Ignition;
  /** Where an implausible jump led to: believed only once several fixes agree. */
  readonly jump?: { readonly at: number; readonly place: Place; readonly accuracyM: number; readonly count: number };
  /** When a fix last decided about fences. */
  readonly decidedAt?: number;
  readonly fences: Readonly<Record<string, Membership>>;
  readonly triggers: Readonly<Record<string, TriggerState>>;
  readonly day: { readonly date: string; readonly km: number };
}

export const INITIAL_STATE: DeviceState = {
  at: Number.MIN_SAFE_INTEGER,
  order: '',
  fences: {},
  triggers: {},
  day: { date: '', km: 0 },
};

/** The stored state of a device that was never evaluated. */
export const NO_STATE = '{}';

/** What is stored with a device besides the columns that are queried. */
export interface StoredState {
  readonly state: DeviceState;
  /** The time of the last checkpoint, and how many inputs were evaluated since. */
  readonly checkpointAt: number;
  readonly inputsSinceCheckpoint: number;
  /** Earlier events send no notifications, because they were imported. */
  readonly silentUntil: number;
}

export function parseStored(text: string): StoredState {
  const {
    checkpointAt = Number.NEGATIVE_INFINITY,
    inputsSinceCheckpoint = 0,
    silentUntil = Number.NEGATIVE_INFINITY,
    ...state
  } = JSON.parse(text) as DeviceState & Partial<Omit<StoredState, 'state'>>;
  return { state: text === NO_STATE ? INITIAL_STATE : state, checkpointAt, inputsSinceCheckpoint, silentUntil };
}

export const storedText = ({ state, checkpointAt, inputsSinceCheckpoint, silentUntil }: StoredState): string =>
  stateText(
    state,
    `,"inputsSinceCheckpoint":${inputsSinceCheckpoint}${timeText('checkpointAt', checkpointAt)}${timeText('silentUntil', silentUntil)}`,
  );

const timeText = (name: string, at: number) => (Number.isFinite(at) ? `,"${name}":${at}` : '');

/** The state as JSON, put together by hand since it is written with every report. */
export function stateText(state: DeviceState, more = ''): string {
  const { at, order, motion, ignition, jump, decidedAt, fences, triggers, day } = state;
  const always = `{"at":${at},"order":${JSON.stringify(order)},"day":{"date":"${day.date}","km":${day.km}}`;
  const now = `${textOf('motion', motion)}${textOf('ignition', ignition)}${textOf('jump', jump)}${textOf('decidedAt', decidedAt)}`;
  return `${always}${now},"fences":${textById(fences)},"triggers":${textById(triggers)}${more}}`;
}

const textOf = (name: string, value: unknown) => (value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`);

/**
 * What a state keeps of fences and triggers, by their ids. Such an object never changes, and mostly the next state has
 * the very same one, so what follows from it is worked out once. Looking through it is dear: its keys are numbers, for
 * which the runtime has a list with a place for every number up to the largest.
 */
type ById<Value> = Readonly<Record<string, Value>>;

interface Waiting {
  readonly due?: number;
  readonly pending?: { readonly due: number };
}

interface Digest {
  readonly ids: readonly number[];
  /** When the clock alone will change one of them; infinite where it won't. */
  readonly due: number;
  text?: string;
}

const digests = new WeakMap<ById<Waiting>, Digest>();

function digestOf(byId: ById<Waiting>): Digest {
  const known = digests.get(byId);
  if (known) return known;
  const ids: number[] = [];
  let due = Number.POSITIVE_INFINITY;
  for (const id in byId) {
    const one = byId[id]!;
    ids.push(Number(id));
    due = Math.min(due, one.due ?? one.pending?.due ?? Number.POSITIVE_INFINITY);
  }
  const made = { ids, due };
  digests.set(byId, made);
  return made;
}

export const idsOf = (byId: ById<Waiting>) => digestOf(byId).ids;
export const earliestDue = (byId: ById<Waiting>) => digestOf(byId).due;

/** As `JSON.stringify` has it. */
function textById(byId: ById<Waiting>): string {
  const digest = digestOf(byId);
  digest.text ??= `{${digest.ids.map((id) => `"${id}":${JSON.stringify(byId[id])}`).join(',')}}`;
  return digest.text;
}

/** Mostly nothing changes, and then nothing is copied. */
export function withValue<Value>(byId: ById<Value>, id: number, value: Value): ById<Value> {
  return byId[id] === value ? byId : { ...byId, [id]: value };
}

export function without<Value>(byId: ById<Value>, id: number): ById<Value> {
  if (byId[id] === undefined) return byId;
  const { [id]: _, ...others } = byId;
  return others;
}

/** Faster than this nothing that is tracked moves. */
const MAX_MS = 1200 / 3.6;
/** This many fixes that agree with each other are believed, however far they are from the last known place. */
const BELIEVED = 3;

type Plausibility = 'plausible' | 'implausible' | 'elsewhere';

/** Whether a device can be where a fix has it. `elsewhere`: it can't have got there, but it insists. */
export function plausibility(
  state: Pick<DeviceState, 'motion' | 'jump'>,
  fix: Located,
): { verdict: Plausibility; jump?: DeviceState['jump'] } {
  const last = state.motion?.last;
  if (last === undefined || reachable(last, fix)) return { verdict: 'plausible' };
  const agrees = state.jump !== undefined && reachable(state.jump, fix);
  const count = agrees ? state.jump!.count + 1 : 1;
  if (count >= BELIEVED) return { verdict: 'elsewhere' };
  const { at, place, accuracyM } = fix;
  return { verdict: 'implausible', jump: { at, place, accuracyM, count } };
}

function reachable(from: { at: number; place: Located['place']; accuracyM: number }, to: Located): boolean {
  const seconds = Math.max(1, (to.at - from.at) / 1000);
  return distanceM(from.place, to.place) - 2 * (from.accuracyM + to.accuracyM) <= MAX_MS * seconds;
}
