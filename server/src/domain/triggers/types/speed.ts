import { keep, type TriggerDefinition } from '../evaluator.ts';
import { type LevelState, passLevel } from '../level.ts';
import { ruleNumber } from '../rule-number.ts';
import { lastedFor, lasting, rounded } from '../wording.ts';

export const speed: TriggerDefinition<LevelState> = {
  evaluator: {
    onFix(rule, state, { fix }) {
      if (fix.speedKmh === undefined || fix.place === undefined) return keep(state);
      const limit = ruleNumber(rule, 'limit')!;
      const margin = Math.max(3, limit * 0.05);
      return passLevel(
        rule,
        state,
        { value: fix.speedKmh, at: fix.at, pointId: fix.pointId },
        {
          over: (value) => value > limit,
          back: (value) => value < limit - margin,
          facts: { limit },
          forMs: (ruleNumber(rule, 'for') ?? 0) * 1000,
        },
      );
    },
  },
  sentence(device, { rule, facts }) {
    const forSeconds = ruleNumber(rule, 'for') ?? 0;
    const [is, held] = forSeconds > 0 ? ['has been', ` for ${lasting(forSeconds)}`] : ['is', ''];
    return `${device} ${is} faster than ${facts.limit} km/h${held}: ${rounded(facts.value)} km/h`;
  },
  told: ({ rule }) => lastedFor(ruleNumber(rule, 'for')),
};
