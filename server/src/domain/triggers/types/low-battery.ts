import { keep, type TriggerDefinition } from '../evaluator.ts';
import { type LevelState, passLevel } from '../level.ts';
import { ruleNumber } from '../rule-number.ts';
import { rounded } from '../wording.ts';

/** Percent above the threshold at which it arms again. */
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
  sentence: (device, { facts }) => `Battery of ${device} is at ${rounded(facts.value)} %`,
};
