import type { Place } from '../../../platform/sphere.ts';

const RADIANS = Math.PI / 180;

interface Sight {
  readonly at: number;
  readonly place: Place;
  readonly speedKmh?: number;
  readonly courseDeg?: number;
}

/**
 * The disc between two fixes grows as if the way left the straight line by no more than 0.4 to 1. Half of that is
 * the most by which a course may differ from the line and still speak for it.
 */
const SLANT = 0.2;
/** Within so short a time there is hardly room for more than one corner. */
const SHORT_MS = 120_000;
/** So sure one course along the line is enough: it goes through the middle of the fence. */
const SURE = 0.95;
/** Slower than this a receiver does not know where it is heading. */
export const HEADING_KMH = 5;

/**
 * Whether what the device says of its courses speaks for the straight way through a fence. Streets turn between
 * fixes, and a line across the corner passes what nobody passed. Of a device that tells no course nothing is asked.
 */
export function courseAgrees(from: Sight, to: Sight, confidence: number): boolean {
  if (from.courseDeg === undefined && to.courseDeg === undefined) return true;
  const lineDeg = bearingDeg(from.place, to.place);
  const [first, second] = [follows(from, lineDeg), follows(to, lineDeg)];
  if (first === true && second === true) return true;
  if (to.at - from.at > SHORT_MS || (first !== true && second !== true)) return false;
  // At rest it tells no course. Where it has turned, the line may go across the corner.
  return confidence >= SURE || first === undefined || second === undefined;
}

function follows({ speedKmh, courseDeg }: Sight, lineDeg: number): boolean | undefined {
  if (courseDeg === undefined || (speedKmh !== undefined && speedKmh < HEADING_KMH)) return undefined;
  const off = (courseDeg - lineDeg) * RADIANS;
  return Math.cos(off) > 0 && Math.abs(Math.tan(off)) <= SLANT;
}

/** Degrees clockwise from north in which the great circle from one place to another sets out. */
function bearingDeg(from: Place, to: Place): number {
  const [a, b] = [from.lat * RADIANS, to.lat * RADIANS];
  const turn = (to.lng - from.lng) * RADIANS;
  const east = Math.sin(turn) * Math.cos(b);
  const north = Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(turn);
  return (Math.atan2(east, north) / RADIANS + 360) % 360;
}
