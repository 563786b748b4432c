import { keep, type TriggerDefinition, type TriggerRule } from '../evaluator.ts';
import { type Level, type LevelState, passLevel } from '../level.ts';
import { ruleNumber, unitAfter } from '../rule-number.ts';
import { rounded } from '../wording.ts';

/** A reading of one type below `min` or above `max`. */

/** It arms again when the value is within its bounds by this part of them. */
const MARGIN = 0.02;

interface Measure {
  readonly readingType: string;
  /** What is measured, as the beginning of a sentence. */
  readonly name: (device: string) => string;
  /** The number in a reading that is more than a number. */
  readonly numberIn?: (value: unknown) => unknown;
}

const measured = ({ readingType, name, numberIn }: Measure): TriggerDefinition<LevelState> => ({
  evaluator: {
    onReading(rule, state, { at, id, type, value: sent }) {
      if (type !== readingType) return keep(state);
      const value = numberIn ? numberIn(sent) : sent;
      if (typeof value !== 'number' || !Number.isFinite(value)) return keep(state);
      return passLevel(rule, state, { value, at, readingId: id }, bounds(rule));
    },
  },
  sentence(device, { rule, facts }) {
    const unit = unitAfter(rule, 'min');
    const { value, min, max } = facts as { value: number; min?: number; max?: number };
    const beyond = min !== undefined && value < min ? `below ${min}` : `above ${max}`;
    return `${name(device)} is ${beyond}${unit}: ${rounded(value)}${unit}`;
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

export const temp = measured({ readingType: 'temp', name: (device) => `Temperature of ${device}` });
export const temp_bme = measured({
  readingType: 'temp_bme',
  name: (device) => `Temperature of the BME sensor of ${device}`,
});
export const humidity = measured({ readingType: 'humidity', name: (device) => `Humidity at ${device}` });
export const pressure = measured({ readingType: 'pressure', name: (device) => `Pressure at ${device}` });
export const lightLevel = measured({ readingType: 'light', name: (device) => `Light level at ${device}` });
export const ultraLevel = measured({
  readingType: 'ultra',
  name: (device) => `Ultrasonic distance of ${device}`,
  numberIn: (value) => (value as { distance?: unknown } | null)?.distance,
});
