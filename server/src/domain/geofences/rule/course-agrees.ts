import type { Place } from '../../../platform/sphere.ts';

const RADIANS = Math.PI / 180;

interface Sight {
  readonly at: number;
  readonly place: Place;
  readonly speedKmh?: number;
  readonly courseDeg?: number;
}

/**
 * The disc between two fixes grows as if the path left the straight line by at most 0.4 to 1. A course may differ from
 * the line by at most half of that and still support it.
 */
const SLANT = 0.2;
/** In so short a time there is hardly more than one turn. */
const SHORT_MS = 120_000;
/** At this confidence the line passes through the middle of the fence, so one course along the line is enough. */
const SURE = 0.95;
/** Below this speed a receiver does not know its heading. */
export const HEADING_KMH = 5;

/**
 * Whether the reported courses support the straight path through a fence. Streets turn between fixes, and a line that
 * cuts a corner crosses places that the device never passed. A device that reports no course is not checked.
 */
export function courseAgrees(from: Sight, to: Sight, confidence: number): boolean {
  if (from.courseDeg === undefined && to.courseDeg === undefined) return true;
  const lineDeg = bearingDeg(from.place, to.place);
  const [first, second] = [follows(from, lineDeg), follows(to, lineDeg)];
  if (first === true && second === true) return true;
  if (to.at - from.at > SHORT_MS || (first !== true && second !== true)) return false;
  // At rest the device reports no course. If it has turned, the line may cut the corner.
  return confidence >= SURE || first === undefined || second === undefined;
}

function follows({ speedKmh, courseDeg }: Sight, lineDeg: number): boolean | undefined {
  if (courseDeg === undefined || (speedKmh !== undefined && speedKmh < HEADING_KMH)) return undefined;
  const off = (courseDeg - lineDeg) * RADIANS;
  return Math.cos(off) > 0 && Math.abs(Math.tan(off)) <= SLANT;
}

/** Initial bearing of the great circle from one place to another, in degrees clockwise from north. */
function bearingDeg(from: Place, to: Place): number {
  const [a, b] = [from.lat * RADIANS, to.lat * RADIANS];
  const turn = (to.lng - from.lng) * RADIANS;
  const east = Math.sin(turn) * Math.cos(b);
  const north = Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(turn);
  return (Math.atan2(east, north) / RADIANS + 360) % 360;
}
