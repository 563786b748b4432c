import { distanceM, type Place } from '../../platform/sphere.ts';

/**
 * Fixes that what the device itself says of its speed does not explain. One alone can't be told from a way that began
 * and ended at rest, at two traffic lights; the fix after it can tell.
 */

export interface Sight {
  readonly at: number;
  readonly place: Place;
  readonly accuracyM: number;
  readonly speedKmh?: number;
  /** The fastest of a trip that has lasted long enough to show what moves there. */
  readonly fastestKmh?: number;
}

export const sightOf = ({ at, place, accuracyM, speedKmh, fastestKmh }: Sight): Sight => ({
  at,
  place,
  accuracyM,
  ...(speedKmh !== undefined && { speedKmh }),
  ...(fastestKmh !== undefined && { fastestKmh }),
});

/** Reported speeds are moments: between them it may have been faster by so much. */
const FASTER = 1.3;
/** Metres that nobody argues about. */
const SPARE_M = 30;
/** What is assumed of a trip that has not lasted yet: the limit in towns. */
const TOWN_KMH = 50;
const STANDING_KMH = 5;

/** Farther from the one before than both speeds explain. Without speeds nothing startles. */
export function isStartling(from: Sight, to: Sight): boolean {
  const reachM = reachBetween(from, to);
  return reachM !== undefined && distanceM(from.place, to.place) - from.accuracyM - to.accuracyM > reachM;
}

/** So wide that the fix before tells more about where the device is. */
export function isVague(from: Sight, to: Sight): boolean {
  const reachM = reachBetween(from, to);
  return reachM !== undefined && to.accuracyM > from.accuracyM + reachM;
}

function reachBetween({ at, speedKmh }: Sight, to: Sight): number | undefined {
  if (speedKmh === undefined || to.speedKmh === undefined) return undefined;
  return wayM(Math.max(speedKmh, to.speedKmh), to.at - at);
}

const wayM = (kmh: number, ms: number) => (FASTER * kmh * ms) / 3600 + SPARE_M;

/** Whether the middle one of three, which startled, was never there: it is back where it stood, or went too fast. */
export function isStray(before: Sight, startling: Sight, after: Sight): boolean {
  const speeds = [before.speedKmh ?? 0, startling.speedKmh ?? 0, after.speedKmh ?? 0] as const;
  const [outM, backM] = [distanceM(before.place, startling.place), distanceM(startling.place, after.place)];
  const directM = distanceM(before.place, after.place);
  const stands = Math.max(speeds[0], speeds[2]) < STANDING_KMH;
  if (stands && directM <= 2 * (before.accuracyM + after.accuracyM)) return true;
  const kmh = Math.max(...speeds, before.fastestKmh ?? TOWN_KMH);
  const goneM = outM + backM - before.accuracyM - 2 * startling.accuracyM - after.accuracyM;
  return goneM > wayM(kmh, after.at - before.at) && backM > directM / 2;
}
