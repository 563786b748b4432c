import { keep, type LevelState, passLevel, ruleNumber, type TriggerDefinition } from '../evaluator.ts';

/** It is armed again at this many percent above the threshold. */
const MARGIN = 5;

export const lowBat: TriggerDefinition<LevelState> = {
  evaluator: {
    onFix(rule, state, { fix }) {
      if (fix.batteryPct === undefined) return keep(state);
      const threshold = ruleNumber(rule, 'threshold')!;
      return passLevel(
        rule,
        state,
        { value: fix.batteryPct, at: fix.at, pointId: fix.pointId },
        {
          over: (value) => value <= threshold,
          back: (value) => value > threshold + MARGIN,
          facts: { threshold },
        },
      );
    },
  },
};
