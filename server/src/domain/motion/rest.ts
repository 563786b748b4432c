import { interpolate, type Place } from '../../platform/sphere.ts';
import type { Located } from '../fix.ts';

/** A place where a device rests: the mean of its fixes there, each weighted by 1/a², where a is the accuracy. */
export interface Rest {
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

export function resting({ at, place, accuracyM, pointId }: Located): Rest {
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

export function joined(rest: Rest, { at, place, accuracyM }: Located): Rest {
  const weight = rest.weight + weightOf(accuracyM);
  return {
    ...rest,
    until: at,
    // For places this close, a step along the great circle is the weighted mean.
    mean: interpolate(rest.mean, place, weightOf(accuracyM) / weight),
    weight,
    count: rest.count + 1,
    bestM: Math.min(rest.bestM, accuracyM),
  };
}

/**
 * Accuracy of the mean. It improves with every fix, but only to a limit, because the errors of successive fixes are
 * correlated.
 */
export function restAccuracyM({ weight, count }: Rest): number {
  const typicalM = Math.sqrt(count / weight);
  return Math.max(typicalM / Math.sqrt(count), typicalM / 3);
}
