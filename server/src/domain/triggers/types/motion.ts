import {
  type Firing,
  keep,
  type TriggerDefinition,
  type TriggerRule,
  type TriggerState,
  type Verdict,
} from '../evaluator.ts';
import { ruleNumber } from '../rule-number.ts';
import { lastedFor, lasting } from '../wording.ts';

/** A device starts or stops moving; it fires at once, or when that has lasted for a while. */

interface MotionState extends TriggerState {
  /** When the trip or the stop began. */
  readonly since: number;
}

type Change = 'start' | 'stop';

interface MotionWords {
  readonly atOnce: string;
  readonly lasting: string;
}

const moving = (change: Change, words: MotionWords): TriggerDefinition<MotionState> => ({
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
  sentence(device, { rule }) {
    const forSeconds = ruleNumber(rule, 'for') ?? 0;
    return `${device} ${forSeconds > 0 ? `${words.lasting} for ${lasting(forSeconds)}` : words.atOnce}`;
  },
  told: ({ rule }) => lastedFor(ruleNumber(rule, 'for')),
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

export const motionStart = moving('start', { atOnce: 'started moving', lasting: 'has been moving' });
export const motionStop = moving('stop', { atOnce: 'stopped moving', lasting: 'has not moved' });
