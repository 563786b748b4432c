import {
  type Firing,
  keep,
  lastedFor,
  ruleNumber,
  type TriggerDefinition,
  type TriggerRule,
  type TriggerState,
  type Verdict,
} from '../evaluator.ts';

/** A device starts or stops moving; it fires at once, or after a duration. */

interface MotionState extends TriggerState {
  /** When the trip or the stop began. */
  readonly since: number;
}

type Change = 'start' | 'stop';

const moving = (change: Change): TriggerDefinition<MotionState> => ({
  evaluator: {
    onMotion(rule, before, { at, pointId, started, stopped }) {
      const [begun, ended] = change === 'start' ? [started, stopped] : [stopped, started];
      const held = ended === undefined ? before : undefined;
      if (begun !== undefined) {
        const due = begun + (ruleNumber(rule, 'for') ?? 0) * 1000;
        return due <= at ? fire(rule, change, begun, at, pointId) : keep({ version: rule.version, since: begun, due });
      }
      if (held?.due !== undefined && held.due <= at) return fire(rule, change, held.since, at, pointId);
      return keep(held);
    },
    onClock: (rule, state, at) =>
      state.due !== undefined && state.due <= at ? fire(rule, change, state.since, state.due) : keep(state),
  },
  reported: ({ rule }) => lastedFor(ruleNumber(rule, 'for')),
});

function fire(
  rule: TriggerRule,
  kind: Change,
  since: number,
  decidedAt: number,
  pointId?: number,
): Verdict<MotionState> {
  const firing: Omit<Firing, 'rule'> = { kind, at: since, decidedAt, pointId, facts: { since } };
  return { state: { version: rule.version, since }, firings: [firing] };
}

export const motionStart = moving('start');
export const motionStop = moving('stop');
