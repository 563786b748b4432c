import { TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Fix } from '../fix.ts';
import type { Crossing, EffectivePosition } from '../geofences/membership.ts';

/** The evaluation of a trigger type. Pure, in fix time: all inputs are parameters. */

export interface TriggerRule {
  readonly triggerId: number;
  /** The valid version; a new one starts with an empty state. */
  readonly version: number;
  readonly userId: number;
  readonly name: string;
  readonly type: TriggerTypeName;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The state of a trigger between inputs. Each type adds its own fields; all of it is plain data. */
export interface TriggerState {
  readonly version: number;
  /** When it fires by the clock alone. */
  readonly due?: number;
}

/** A firing of a trigger, which depends only on the data. */
export interface Firing {
  readonly rule: TriggerRule;
  /** Firings of one trigger are compared with each other within a zone. */
  readonly zoneId?: number;
  readonly kind: string;
  readonly at: number;
  readonly decidedAt: number;
  readonly pointId?: number;
  readonly readingId?: number;
  readonly messageId?: number;
  /** The facts behind it, for the sentence and the explanation. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Reading {
  readonly at: number;
  readonly id: number;
  readonly type: string;
  readonly value: unknown;
}

/** One fix with the state of the device. */
export interface Moment {
  readonly fix: Fix;
  /** The effective position of the device. Absent if the fix has no place, or an impossible one. */
  readonly position?: EffectivePosition;
  readonly moving: boolean;
  readonly day: string;
  /** Kilometres travelled in the UTC day of the fix. */
  readonly dayKm: number;
}

/** The start or end of a trip: evaluated with every fix, and when a trip ends without fixes. */
export interface MotionChange {
  readonly at: number;
  readonly pointId: number;
  /** The time when a trip began or ended, if one did. */
  readonly started?: number;
  readonly stopped?: number;
}

export interface Verdict<State extends TriggerState = TriggerState> {
  readonly state: State | undefined;
  readonly firings: readonly Omit<Firing, 'rule'>[];
}

/** How a type decides. It receives only the inputs that it has a function for. */
export interface Evaluator<State extends TriggerState = TriggerState> {
  onFix?(rule: TriggerRule, state: State | undefined, moment: Moment): Verdict<State>;
  onMotion?(rule: TriggerRule, state: State | undefined, change: MotionChange): Verdict<State>;
  /** At least one fence was entered or left. */
  onCrossings?(rule: TriggerRule, state: State | undefined, crossings: readonly Crossing[]): Verdict<State>;
  /** @param lastPosition position of the last fix with a place */
  onReading?(
    rule: TriggerRule,
    state: State | undefined,
    reading: Reading,
    lastPosition: LastPosition | undefined,
  ): Verdict<State>;
  onMessage?(rule: TriggerRule, state: State | undefined, message: { at: number; id: number }): Verdict<State>;
  /** The clock passed the due time of the state. */
  onClock?(rule: TriggerRule, state: State, at: number): Verdict<State>;
}

export type LastPosition = Pick<EffectivePosition, 'place' | 'accuracyM'> & { readonly at: number };

/** For types that no input of the device decides: a timer of the engine fires them. */
export const BY_TIMER: Evaluator = {};

/** The definition of a trigger type, except its parameters, which are in the contract. */
export interface TriggerDefinition<State extends TriggerState = TriggerState> {
  readonly evaluator: Evaluator<State>;
  /** Values for the sentence in addition to the facts: part of `params.meta`. */
  reported?(firing: FiringContent): Readonly<Record<string, unknown>>;
  /** Published next to the type, for types that have one. */
  subtype?(rule: TriggerRule): string;
}

export type FiringContent = Pick<Firing, 'rule' | 'kind' | 'facts'>;

export const keep = <State extends TriggerState>(state: State | undefined): Verdict<State> => ({ state, firings: [] });

/** A value with a limit: fires once when it is exceeded, and is armed again when the value is back beyond a margin. */

export interface LevelState extends TriggerState {
  /** It fired, and the value has not been back since. */
  readonly on?: boolean;
  /** Since when the value exceeds its limit. */
  readonly since?: number;
}

interface MeasuredValue {
  readonly value: number;
  readonly at: number;
  readonly pointId?: number;
  readonly readingId?: number;
}

export interface Level {
  readonly over: (value: number) => boolean;
  readonly back: (value: number) => boolean;
  readonly facts: Readonly<Record<string, unknown>>;
  /** How long the value must exceed its limit. */
  readonly forMs?: number;
}

export function passLevel(
  rule: TriggerRule,
  before: LevelState | undefined,
  measured: MeasuredValue,
  level: Level,
): Verdict<LevelState> {
  const { value, at, pointId, readingId } = measured;
  const state = before ?? { version: rule.version };
  if (state.on) return keep(level.back(value) ? { version: rule.version } : state);
  if (!level.over(value)) return keep(state.since === undefined ? state : { version: rule.version });
  const since = state.since ?? at;
  if (at - since < (level.forMs ?? 0)) return keep({ version: rule.version, since });
  const firing: Omit<Firing, 'rule'> = {
    kind: 'over',
    at,
    decidedAt: at,
    pointId,
    readingId,
    facts: { value, since, ...level.facts },
  };
  return { state: { version: rule.version, on: true, since }, firings: [firing] };
}

/** Fires with every fix that meets a condition. */
export const eachFix = (kind: string, applies: (moment: Moment, rule: TriggerRule) => boolean): Evaluator => ({
  onFix(rule, state, moment) {
    if (!applies(moment, rule)) return keep(state);
    const { at, pointId, place, alerts } = moment.fix;
    return { state, firings: [{ kind, at, decidedAt: at, pointId, facts: { place, ...(alerts > 0 && { alerts }) } }] };
  },
});

/** A numeric parameter of a trigger: as given, or the contract's default. */
export function ruleNumber({ type, parameters }: TriggerRule, name: string): number | undefined {
  const given = parameters[name];
  return typeof given === 'number' ? given : schemaOf(type, name).default;
}

/** How long the condition of a rule had to last, in seconds, if it had to. */
export const lastedFor = (seconds: number | undefined) => (seconds ? { lasted: seconds } : {});

function schemaOf(type: TriggerTypeName, name: string): { readonly default?: number } {
  const { parameters }: TriggerType = TRIGGER_TYPES[type];
  return parameters[name] ?? {};
}
