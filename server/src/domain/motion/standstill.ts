import { interpolate, type Place } from '../../platform/sphere.ts';
import type { Located } from '../fix.ts';

/** A resting place of a device: the mean of its fixes there, each weighted by 1/a², where a is the accuracy. */
export interface Standstill {
  readonly since: number;
  /** Time of the last fix that belongs to it. */
  readonly until: number;
  readonly mean: Place;
  readonly weight: number;
  readonly count: number;
  /** The accuracy of its best fix. */
  readonly bestM: number;
  readonly firstPointId: number;
}

const weightOf = (accuracyM: number) => 1 / accuracyM ** 2;

export function resting({ at, place, accuracyM, pointId }: Located): Standstill {
  return {
    since: at,
    until: at,
    mean: place,
    weight: weightOf(accuracyM),
    count: 1,
    bestM: accuracyM,
    firstPointId: pointId,
  };
}

export function joined(standstill: Standstill, { at, place, accuracyM }: Located): Standstill {
  const weight = standstill.weight + weightOf(accuracyM);
  return {
    ...standstill,
    until: at,
    // For places this close, a step along the great circle is the weighted mean.
    mean: interpolate(standstill.mean, place, weightOf(accuracyM) / weight),
    weight,
    count: standstill.count + 1,
    bestM: Math.min(standstill.bestM, accuracyM),
  };
}

/**
 * Accuracy of the mean. It improves with every fix, but only to a limit, because the errors of successive fixes are
 * correlated.
 */
export function standstillAccuracyM({ weight, count }: Standstill): number {
  const typicalM = Math.sqrt(count / weight);
  return Math.max(typicalM / Math.sqrt(count), typicalM / 3);
}
