import { type Firing, keep, type TriggerRule, type TriggerState, type Verdict } from './evaluator.ts';

/** A value that passes a limit: fires once, and arms again when the value is back beyond a margin. */

export interface LevelState extends TriggerState {
  /** It fired, and the value has not been back since. */
  readonly on?: boolean;
  /** Since when the value is over its limit. */
  readonly since?: number;
}

export interface MeasuredValue {
  readonly value: number;
  readonly at: number;
  readonly pointId?: number;
  readonly readingId?: number;
}

export interface Level {
  readonly over: (value: number) => boolean;
  readonly back: (value: number) => boolean;
  readonly facts: Readonly<Record<string, unknown>>;
  /** How long the value must be over its limit. */
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
