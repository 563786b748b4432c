import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Fix } from '../fix.ts';
import type { EffectivePosition } from '../geofences/rule/effective-position.ts';
import type { Crossing } from '../geofences/rule/membership.ts';

/** How a type of trigger decides. Pure, in fix time: all that it may know is passed to it. */

export interface TriggerRule {
  readonly triggerId: number;
  /** The version in force; a new one starts afresh. */
  readonly version: number;
  readonly userId: number;
  readonly name: string;
  readonly type: TriggerTypeName;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a trigger remembers between inputs. Each type adds fields of its own; all of it is plain data. */
export interface TriggerState {
  readonly version: number;
  /** When the clock alone would make it fire. */
  readonly due?: number;
}

/** A trigger fired: a fact that follows from the data alone. */
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
  /** What it rests on, for the sentence and the explanation. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Reading {
  readonly at: number;
  readonly id: number;
  readonly type: string;
  readonly value: unknown;
}

/** One fix with what is known of the device by it. */
export interface Moment {
  readonly fix: Fix;
  /** Where the device counts as being. Absent where the fix has no place, or one where the device cannot be. */
  readonly position?: EffectivePosition;
  readonly moving: boolean;
  readonly day: string;
  /** Kilometres gone in the UTC day of the fix. */
  readonly dayKm: number;
}

/** Whether a trip began or ended: looked at with every fix, and when silence ends a trip. */
export interface MotionChange {
  readonly at: number;
  readonly pointId: number;
  /** When a trip began or ended, if one did. */
  readonly started?: number;
  readonly stopped?: number;
}

export interface Verdict<State extends TriggerState = TriggerState> {
  readonly state: State | undefined;
  readonly firings: readonly Omit<Firing, 'rule'>[];
}

/** How a type decides. It listens to the inputs for which it has a function, and to no others. */
export interface Evaluator<State extends TriggerState = TriggerState> {
  onFix?(rule: TriggerRule, state: State | undefined, moment: Moment): Verdict<State>;
  onMotion?(rule: TriggerRule, state: State | undefined, change: MotionChange): Verdict<State>;
  /** At least one fence was entered or left. */
  onCrossings?(rule: TriggerRule, state: State | undefined, crossings: readonly Crossing[]): Verdict<State>;
  /** @param lastPosition where the device was by its last fix that has a place */
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

/** The types that no input of the device decides: a timer of the engine fires them. */
export const BY_TIMER: Evaluator = {};

/** Everything the server knows about a type of trigger, except its parameters, which are in the contract. */
export interface TriggerDefinition<State extends TriggerState = TriggerState> {
  readonly evaluator: Evaluator<State>;
  /** What happened: plain English, metric units. */
  sentence(device: string, firing: FiringContent): string;
  /** What the sentence needs besides the facts, for those who say it in another language: part of `params.meta`. */
  told?(firing: FiringContent): Readonly<Record<string, unknown>>;
  /** Published beside the type, for the types that have one. */
  subtype?(rule: TriggerRule): string;
}

export type FiringContent = Pick<Firing, 'rule' | 'kind' | 'facts'>;

export const keep = <State extends TriggerState>(state: State | undefined): Verdict<State> => ({ state, firings: [] });
