import type { Place } from '../../../platform/sphere.ts';
import type { Membership } from '../../geofences/rule/membership.ts';
import type { Ignition } from '../../motion/ignition.ts';
import type { Motion } from '../../motion/motion.ts';
import type { TriggerState } from '../../triggers/evaluator.ts';
import { textById } from './by-id.ts';

/** The form of the state below. A state of another form is rebuilt from the inputs. */
export const STATE_FORM = 3;

/** What is known of a device after its inputs up to a moment. Plain data, so that it can be kept and compared. */
export interface DeviceState {
  /** The place of the last input in the order of inputs: its time, and what tells it from others of that instant. */
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

export const UNHEARD: DeviceState = {
  at: Number.MIN_SAFE_INTEGER,
  order: '',
  fences: {},
  triggers: {},
  day: { date: '', km: 0 },
};

/** The state as JSON, put together by hand since it is written with every report. */
export function stateText(state: DeviceState): string {
  const { at, order, motion, ignition, jump, decidedAt, fences, triggers, day } = state;
  const always = `{"at":${at},"order":${JSON.stringify(order)},"day":{"date":"${day.date}","km":${day.km}}`;
  const now = `${textOf('motion', motion)}${textOf('ignition', ignition)}${textOf('jump', jump)}${textOf('decidedAt', decidedAt)}`;
  return `${always}${now},"fences":${textById(fences)},"triggers":${textById(triggers)}}`;
}

const textOf = (name: string, value: unknown) => (value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`);
