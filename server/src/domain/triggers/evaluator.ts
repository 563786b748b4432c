import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Fix } from '../fix.ts';
import type { Crossing } from '../geofences/rule/membership.ts';

/** How a kind of trigger decides. Pure, in fix time: everything it may know comes in. */

export interface TriggerRule {
  readonly triggerId: number;
  /** The version in force; a new one starts afresh. */
  readonly version: number;
  readonly userId: number;
  readonly name: string;
  readonly type: TriggerTypeName;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a trigger remembers between inputs. */
export interface TriggerState {
  readonly version: number;
  /** A level that is over its limit, and since when. */
  readonly on?: boolean;
  readonly since?: number;
  /** When the clock alone would make it fire. */
  readonly due?: number;
  readonly day?: string;
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
  /** What it rests on, for the sentence and for whoever asks why. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Reading {
  readonly at: number;
  readonly id: number;
  readonly type: string;
  readonly value: unknown;
}

/** One fix with what it brought about. */
export interface Moment {
  readonly fix: Fix;
  readonly moving: boolean;
  /** When a trip began or ended by it. */
  readonly started?: number;
  readonly stopped?: number;
  readonly crossings: readonly Crossing[];
  /** Kilometres gone in the UTC day of the fix. */
  readonly day: string;
  readonly dayKm: number;
}

export interface Verdict {
  readonly state: TriggerState | undefined;
  readonly firings: readonly Omit<Firing, 'rule'>[];
}

export interface Evaluator {
  onFix?(rule: TriggerRule, state: TriggerState | undefined, moment: Moment): Verdict;
  onReading?(rule: TriggerRule, state: TriggerState | undefined, reading: Reading): Verdict;
  onMessage?(rule: TriggerRule, message: { at: number; id: number }): Verdict;
  /** The clock passed the due time of the state. */
  onClock?(rule: TriggerRule, state: TriggerState, at: number): Verdict;
}

export const SILENT: Verdict = { state: undefined, firings: [] };
export const keep = (state: TriggerState | undefined): Verdict => ({ state, firings: [] });
