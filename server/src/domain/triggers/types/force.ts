import { keep, type LevelState, passLevel, ruleNumber, type TriggerDefinition } from '../evaluator.ts';

/** It is armed again when the force is below the limit by this fraction of it. */
const MARGIN = 0.02;

export const extAccel: TriggerDefinition<LevelState> = {
  evaluator: {
    onReading(rule, state, { at, id, type, value }) {
      if (type !== 'acc_maxForce' || typeof value !== 'number') return keep(state);
      const limit = ruleNumber(rule, 'limit')!;
      return passLevel(
        rule,
        state,
        { value, at, readingId: id },
        {
          over: (force) => force > limit,
          back: (force) => force <= limit - Math.abs(limit) * MARGIN,
          facts: { limit },
        },
      );
    },
  },
};
