import { distanceM, type Place } from '../../platform/sphere.ts';

/**
 * Fixes that what the device itself says of its speed does not explain. One alone can't be told from a way that began
 * and ended at rest, at two traffic lights; the fix after it can tell.
 */

export interface Observation {
  readonly at: number;
  readonly place: Place;
  readonly accuracyM: number;
  readonly speedKmh?: number;
  /** The fastest of a trip that has lasted long enough to show what moves there. */
  readonly fastestKmh?: number;
}

/** A step farther than the speeds at both ends explain. */
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

/** A reported speed is that of a moment: between two of them the device may have been faster by this factor. */
const FASTER = 1.3;
/** Metres that never make a jump. */
const SPARE_M = 30;
/** Assumed of a trip that has only begun: the speed limit in towns. */
const TOWN_KMH = 50;
/** A place lies off the way if going there makes the way at least this many times as long. */
const AROUND = 2;
/** Over a longer time, single speeds say little about the distance covered. */
const SHORT_MS = 240_000;

/** Farther from the fix before than both speeds explain. Without speeds there is no such jump. */
export function isUnexplainedJump(from: Observation, to: Observation): boolean {
  const reachM = reachBetween(from, to);
  return reachM !== undefined && isBeyond(from, to, reachM);
}

const isBeyond = (from: Observation, to: Observation, reachM: number) =>
  distanceM(from.place, to.place) - from.accuracyM - to.accuracyM > reachM;

/** So inaccurate that the fix before says more about where the device is. */
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
 * Whether a leap led where the device never was: off the way to the fix after it, and by two steps that the speeds do not
 * explain where the direct one needs no explanation, or by one that is too fast for what moves there.
 */
export function isOutlier(before: Observation, suspect: Observation, next: Observation): boolean {
  // Fixes by wifi often tell no speed.
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
