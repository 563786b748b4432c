import { type Arc, along, arcOf, EARTH_RADIUS_M, type Place, vectorOf } from '../../../platform/sphere.ts';
import { type Area, signedDistanceOf } from '../shape/area.ts';
import { confidenceInside, depthFor } from './confidence.ts';

/** A fix at one end of the way; `at` in epoch milliseconds. */
export interface End {
  readonly place: Place;
  readonly accuracyM: number;
  readonly at: number;
}

/** Confidences, enter > exit. */
export interface Thresholds {
  readonly enter: number;
  readonly exit: number;
}

export interface PathCrossing {
  readonly enteredAt: number;
  /**
   * Undefined where the confidence does not fall to the exit threshold before the second fix: by the ordinary rule
   * the device is then still inside, and that fix, being neither in nor out, leaves it so.
   */
  readonly leftAt: number | undefined;
  /** The highest on the way, to about 0.001. */
  readonly confidence: number;
}

/** Between the fixes nobody knows the way: the disc grows by this share of it, most (a quarter) halfway. */
const GROWTH = 0.4;

/** A threshold touched by less than this, in accuracies, may be overlooked: it is less than 0.01 of confidence. */
const RESOLUTION = 0.02;

/**
 * Whether a device that neither fix sees inside was inside between them. Of several passages on one way, through the
 * arms of a horseshoe, it is the surest.
 */
export function crossing(area: Area, from: End, to: End, thresholds: Thresholds): PathCrossing | undefined {
  let surest: PathCrossing | undefined;
  for (const found of crossings(area, from, to, thresholds)) {
    if (surest === undefined || found.confidence > surest.confidence) surest = found;
  }
  return surest;
}

/** Each passage on the way, in order: the ordinary rule applied to every point of it. */
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
    // Thresholds next to each other, or the wrong way round, must not hold it here for ever.
    if (left === undefined || left <= f) return found;
    f = left;
  }
}

/** The great circle from fix to fix; where on it is told by the fraction f. */
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

/** The usual answer, for the price of one distance: even its nearest point could not be near enough. */
function staysAway(way: Way, enter: number): boolean {
  const { area, arc, lengthM } = way;
  const widestM = Math.max(way.startAccuracyM, way.endAccuracyM) + (GROWTH / 4) * lengthM;
  // Six accuracies away the confidence is a billionth; farther need not be told apart.
  const middleM = signedDistanceOf(area, along(arc, 0.5), lengthM / 2 + 6 * widestM);
  const nearestM = middleM - lengthM / 2;
  return nearestM > 0 && confidenceInside(nearestM, widestM) < enter;
}

/**
 * The first f from `start` on where the device lies `depth` accuracies deep, or, with `sense` −1, no more than that.
 *
 * What is missing to that depth shrinks by no more than `steepestM` per unit of f, so a step of the quotient can jump
 * over nothing, however small the fence.
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

/** Where it turns from positive at a to none at b, on the side of b. */
function turningPoint(missingM: (f: number) => number, a: number, b: number): number {
  let [positive, none] = [a, b];
  while (none - positive > 1e-7) {
    const middle = (positive + none) / 2;
    if (missingM(middle) > 0) positive = middle;
    else none = middle;
  }
  return none;
}

/** Stretches of the way are halved while they could hold more than the best found, by more than a thousandth. */
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
