import { distanceM, type Place } from '../../platform/sphere.ts';

/**
 * Finds fixes that the reported speeds do not explain. A single one may be real: a ride that began and ended at rest,
 * at two traffic lights. The next fix decides.
 */

export interface Observation {
  readonly at: number;
  readonly place: Place;
  readonly accuracyM: number;
  readonly speedKmh?: number;
  /** The highest speed of a trip that has lasted long enough to show what the vehicle is capable of. */
  readonly fastestKmh?: number;
}

/** A distance between two fixes that the speeds at both ends do not explain. */
export interface Jump {
  readonly from: Observation;
  readonly to: Observation;
}

export const observationOf = ({ at, place, accuracyM, speedKmh, fastestKmh }: Observation): Observation => ({
  at,
  place,
  accuracyM,
  ...(speedKmh !== undefined && { speedKmh }),
  ...(fastestKmh !== undefined && { fastestKmh }),
});

/** A reported speed is momentary: between two of them the device may have been faster by this factor. */
const FASTER = 1.3;
/** Metres that never count as a jump. */
const SPARE_M = 30;
/** Assumed for a trip that has just begun: the usual speed limit in towns. */
const TOWN_KMH = 50;
/** A fix is off the path if the detour over it is at least this many times as long as the direct path. */
const AROUND = 2;
/** Over a longer time, single speeds say little about the distance covered. */
const SHORT_MS = 240_000;

/** Whether the fix is farther from the previous one than both speeds explain. Without speeds the result is false. */
export function isUnexplainedJump(from: Observation, to: Observation): boolean {
  const reachM = reachBetween(from, to);
  return reachM !== undefined && isBeyond(from, to, reachM);
}

const isBeyond = (from: Observation, to: Observation, reachM: number) =>
  distanceM(from.place, to.place) - from.accuracyM - to.accuracyM > reachM;

/** Whether the fix is so inaccurate that the previous one is a better estimate of the position. */
export function isImprecise(from: Observation, to: Observation): boolean {
  const reachM = reachBetween(from, to);
  return reachM !== undefined && to.accuracyM > from.accuracyM + reachM;
}

function reachBetween({ at, speedKmh }: Observation, to: Observation): number | undefined {
  if (speedKmh === undefined || to.speedKmh === undefined) return undefined;
  return wayM(Math.max(speedKmh, to.speedKmh), to.at - at);
}

const wayM = (kmh: number, ms: number) => (FASTER * kmh * ms) / 3600 + SPARE_M;

/**
 * Whether the suspect fix is a place where the device never was. It must be off the path to the next fix. In addition,
 * the speeds explain neither step over it but do explain the direct one, or one of the steps is too fast for the
 * vehicle.
 */
export function isOutlier(before: Observation, suspect: Observation, next: Observation): boolean {
  // Wi-Fi fixes often have no speed.
  const after = { ...next, speedKmh: next.speedKmh ?? 0 };
  const directM = distanceM(before.place, after.place);
  const roundM = distanceM(before.place, suspect.place) + distanceM(suspect.place, after.place);
  if (roundM <= AROUND * directM) return false;
  const isBack = directM <= before.accuracyM + after.accuracyM + SPARE_M;
  const speedsCount = isBack || after.at - before.at <= SHORT_MS;
  if (speedsCount && isUnexplainedJump(suspect, after) && !isUnexplainedJump(before, after)) return true;
  const kmh = Math.max(...[before, suspect, after].map(({ speedKmh = 0 }) => speedKmh), before.fastestKmh ?? TOWN_KMH);
  const isTooFast = (from: Observation, to: Observation) => isBeyond(from, to, wayM(kmh, to.at - from.at));
  return !isTooFast(before, after) && (isTooFast(before, suspect) || isTooFast(suspect, after));
}
