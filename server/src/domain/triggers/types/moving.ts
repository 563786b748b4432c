import {
  type Evaluator,
  type Firing,
  keep,
  type Moment,
  type TriggerRule,
  type TriggerState,
  type Verdict,
} from '../evaluator.ts';

/** Triggers that fire when a device starts or stops moving, at once or after it kept to it for a while. */

const whenMoving = (kind: 'start' | 'stop'): Evaluator => ({
  onFix(rule, before, moment) {
    const begun = kind === 'start' ? moment.started : moment.stopped;
    const ended = kind === 'start' ? moment.stopped : moment.started;
    const held = ended === undefined ? before : undefined;
    if (begun !== undefined) return wait(rule, kind, { version: rule.version, since: begun }, moment);
    if (held?.due !== undefined && held.due <= moment.fix.at)
      return fire(rule, kind, held, moment.fix.at, moment.fix.pointId);
    return keep(held);
  },
  onClock: (rule, state, at) =>
    state.due !== undefined && state.due <= at ? fire(rule, kind, state, state.due) : keep(state),
});

function wait(rule: TriggerRule, kind: string, state: TriggerState, { fix }: Moment): Verdict {
  const due = state.since! + ((rule.parameters.for as number | undefined) ?? 0) * 1000;
  const waiting = { ...state, due };
  return due <= fix.at ? fire(rule, kind, waiting, fix.at, fix.pointId) : keep(waiting);
}

function fire(rule: TriggerRule, kind: string, { since }: TriggerState, decidedAt: number, pointId?: number): Verdict {
  const firing: Omit<Firing, 'rule'> = { kind, at: since!, decidedAt, pointId, facts: { since } };
  return { state: { version: rule.version, since }, firings: [firing] };
}

export const motionStart = whenMoving('start');
export const motionStop = whenMoving('stop');
