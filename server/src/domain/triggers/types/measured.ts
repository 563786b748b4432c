import {
  keep,
  type Level,
  type LevelState,
  passLevel,
  ruleNumber,
  type TriggerDefinition,
  type TriggerRule,
} from '../evaluator.ts';

/** A reading of one type below `min` or above `max`. */

/** It is armed again when the value is within its limits by this fraction of them. */
const MARGIN = 0.02;

interface Measure {
  readonly readingType: string;
  /** Extracts the number from a composite reading. */
  readonly numberIn?: (value: unknown) => unknown;
}

const measured = ({ readingType, numberIn }: Measure): TriggerDefinition<LevelState> => ({
  evaluator: {
    onReading(rule, state, { at, id, type, value: sent }) {
      if (type !== readingType) return keep(state);
      const value = numberIn ? numberIn(sent) : sent;
      if (typeof value !== 'number' || !Number.isFinite(value)) return keep(state);
      return passLevel(rule, state, { value, at, readingId: id }, bounds(rule));
    },
  },
});

function bounds(rule: TriggerRule): Level {
  const min = ruleNumber(rule, 'min') ?? Number.NEGATIVE_INFINITY;
  const max = ruleNumber(rule, 'max') ?? Number.POSITIVE_INFINITY;
  const margin = (bound: number) => (Number.isFinite(bound) ? Math.abs(bound) * MARGIN : 0);
  return {
    over: (value) => value < min || value > max,
    back: (value) => value >= min + margin(min) && value <= max - margin(max),
    facts: { ...(Number.isFinite(min) && { min }), ...(Number.isFinite(max) && { max }) },
  };
}

export const temp = measured({ readingType: 'temp' });
export const temp_bme = measured({ readingType: 'temp_bme' });
export const humidity = measured({ readingType: 'humidity' });
export const pressure = measured({ readingType: 'pressure' });
export const lightLevel = measured({ readingType: 'light' });
export const ultraLevel = measured({
  readingType: 'ultra',
  numberIn: (value) => (value as { distance?: unknown } | null)?.distance,
});
