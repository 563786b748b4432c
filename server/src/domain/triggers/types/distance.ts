import { keep, ruleNumber, type TriggerDefinition, type TriggerState } from '../evaluator.ts';

interface DistanceState extends TriggerState {
  /** The UTC day of the last firing: it fires at most once a day. */
  readonly day: string;
}

export const distance: TriggerDefinition<DistanceState> = {
  evaluator: {
    onFix(rule, state, { fix, day, dayKm }) {
      const limit = ruleNumber(rule, 'limit')!;
      const days = rule.parameters.days as readonly number[] | undefined;
      if (state?.day === day || dayKm <= limit) return keep(state);
      if (days && days.length > 0 && !days.includes(new Date(fix.at).getUTCDay())) return keep(state);
      const { at, pointId } = fix;
      const firing = { kind: 'over', at, decidedAt: at, pointId, facts: { value: dayKm, limit, day } };
      return { state: { version: rule.version, day }, firings: [firing] };
    },
  },
};
