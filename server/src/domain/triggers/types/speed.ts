import { keep, type LevelState, lastedFor, passLevel, ruleNumber, type TriggerDefinition } from '../evaluator.ts';

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
  reported: ({ rule }) => lastedFor(ruleNumber(rule, 'for')),
};
