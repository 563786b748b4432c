import { type Arc, along, arcOf, EARTH_RADIUS_M, type Place, vectorOf } from '../../platform/sphere.ts';
import { type Area, signedDistanceOf } from './area.ts';
import { confidenceInside, depthFor } from './confidence.ts';

/** A fix at one end of the path; `at` in epoch milliseconds. */
export interface End {
  readonly place: Place;
  readonly accuracyM: number;
  readonly at: number;
}

/** Confidences; enter > exit. */
interface Thresholds {
  readonly enter: number;
  readonly exit: number;
}

export interface PathCrossing {
  readonly enteredAt: number;
  /**
   * Undefined if the confidence does not fall to the exit threshold before the second fix: by the ordinary rule the
   * device is then still inside, and that fix, being neither in nor out, does not change this.
   */
  readonly leftAt: number | undefined;
  /** The maximum on the path, to about 0.001. */
  readonly confidence: number;
}

/**
 * The path between the fixes is unknown: the disc grows by this share of its length, most (a quarter of the share)
 * halfway.
 */
const GROWTH = 0.4;

/** A threshold exceeded by less than this, in accuracies, may be missed: it is less than 0.01 of confidence. */
const RESOLUTION = 0.02;

/**
 * Determines whether a device that is inside at neither fix was inside between them. Of several passages on one path,
 * such as through the arms of a horseshoe, returns the one with the highest confidence.
 */
export function crossing(area: Area, from: End, to: End, thresholds: Thresholds): PathCrossing | undefined {
  let surest: PathCrossing | undefined;
  for (const found of crossings(area, from, to, thresholds)) {
    if (surest === undefined || found.confidence > surest.confidence) surest = found;
  }
  return surest;
}

/** Each passage on the path, in order: the ordinary rule applied to every point of it. */
export function crossings(area: Area, from: End, to: End, { enter, exit }: Thresholds): PathCrossing[] {
  const way = wayOf(area, from, to);
  if (staysAway(way, enter)) return [];
  const [deep, shallow] = [depthFor(enter), depthFor(exit)];
  const timeOf = (f: number) => Math.round(from.at + f * (to.at - from.at));
  const found: PathCrossing[] = [];
  let f = 0;
  while (true) {
    const entered = firstPast(way, f, deep, 1);
    if (entered === undefined) return found;
    const left = firstPast(way, entered, shallow, -1);
    const confidence = highestConfidence(way, entered, left ?? 1);
    found.push({ enteredAt: timeOf(entered), leftAt: left === undefined ? undefined : timeOf(left), confidence });
    // Equal or swapped thresholds must not cause an endless loop.
    if (left === undefined || left <= f) return found;
    f = left;
  }
}

/** The great circle between the fixes; the fraction f is a position on it. */
interface Way {
  readonly area: Area;
  readonly arc: Arc;
  readonly lengthM: number;
  readonly startAccuracyM: number;
  readonly endAccuracyM: number;
}

function wayOf(area: Area, from: End, to: End): Way {
  const arc = arcOf(vectorOf(from.place), vectorOf(to.place));
  const lengthM = arc.angle * EARTH_RADIUS_M;
  return { area, arc, lengthM, startAccuracyM: from.accuracyM, endAccuracyM: to.accuracyM };
}

function distanceAt(way: Way, f: number): number {
  return signedDistanceOf(way.area, along(way.arc, f));
}

function accuracyAt({ lengthM, startAccuracyM, endAccuracyM }: Way, f: number): number {
  return (1 - f) * startAccuracyM + f * endAccuracyM + GROWTH * lengthM * f * (1 - f);
}

/** The common case, decided by one distance: even the nearest point of the path is too far away. */
function staysAway(way: Way, enter: number): boolean {
  const { area, arc, lengthM } = way;
  const widestM = Math.max(way.startAccuracyM, way.endAccuracyM) + (GROWTH / 4) * lengthM;
  // Six accuracies away the confidence is a billionth, so larger distances need not be exact.
  const middleM = signedDistanceOf(area, along(arc, 0.5), lengthM / 2 + 6 * widestM);
  const nearestM = middleM - lengthM / 2;
  return nearestM > 0 && confidenceInside(nearestM, widestM) < enter;
}

/**
 * The first f from `start` on where the device is at least `depth` accuracies deep, or, if `sense` is −1, at most that
 * deep.
 *
 * The missing depth shrinks by at most `steepestM` per unit of f, so a step of their quotient cannot skip a fence,
 * however small.
 */
function firstPast(way: Way, start: number, depth: number, sense: 1 | -1): number | undefined {
  const missingM = (f: number) => sense * (distanceAt(way, f) + depth * accuracyAt(way, f));
  const widening = Math.abs(way.endAccuracyM - way.startAccuracyM) + GROWTH * way.lengthM;
  const steepestM = way.lengthM + Math.abs(depth) * widening;
  let before = start;
  for (let f = start; ; ) {
    const missing = missingM(f);
    if (missing <= 0) return f === start ? f : turningPoint(missingM, before, f);
    if (!(f < 1)) return undefined;
    before = f;
    f = Math.min(1, f + Math.max(missing, RESOLUTION * accuracyAt(way, f)) / steepestM);
  }
}

/** Finds, by bisection, where the value falls from positive at a to zero or less at b; returns the side of b. */
function turningPoint(missingM: (f: number) => number, a: number, b: number): number {
  let [positive, none] = [a, b];
  while (none - positive > 1e-7) {
    const middle = (positive + none) / 2;
    if (missingM(middle) > 0) positive = middle;
    else none = middle;
  }
  return none;
}

/** Halves sections of the path as long as they could exceed the best confidence by more than a thousandth. */
function highestConfidence(way: Way, start: number, end: number): number {
  const sample = (f: number) => ({ f, distanceM: distanceAt(way, f), accuracyM: accuracyAt(way, f) });
  const [first, last] = [sample(start), sample(end)];
  const confidenceAt = (s: typeof first) => confidenceInside(s.distanceM, s.accuracyM);
  let best = Math.max(confidenceAt(first), confidenceAt(last));
  const open = [[first, last] as const];
  for (let stretch = open.pop(); stretch !== undefined; stretch = open.pop()) {
    const [a, b] = stretch;
    const width = b.f - a.f;
    const nearestM = (a.distanceM + b.distanceM - way.lengthM * width) / 2;
    const accuracyM =
      nearestM < 0
        ? Math.min(a.accuracyM, b.accuracyM)
        : Math.max(a.accuracyM, b.accuracyM) + (GROWTH / 4) * way.lengthM * width * width;
    if (confidenceInside(nearestM, accuracyM) <= best + 0.001) continue;
    const middle = sample((a.f + b.f) / 2);
    best = Math.max(best, confidenceAt(middle));
    open.push([a, middle], [middle, b]);
  }
  return best;
}

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
/** In such a short time there is hardly more than one turn. */
const SHORT_MS = 120_000;
/** At this confidence the line passes through the middle of the fence, so one course along the line is enough. */
const SURE = 0.95;
/** Below this speed a receiver cannot determine its heading. */
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
