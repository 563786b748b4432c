import type { Pace } from './pace.ts';
import { shareOf } from './random.ts';
import type { Streets } from './streets.ts';

/**
 * The movement along a route over time: accelerating, keeping to the limit, braking for turns, waiting at crossings. It is
 * divided into phases of constant acceleration. The arrays are flat, since thousands of drives are cached and millions of
 * positions are calculated.
 */
export interface Drive {
  readonly durationS: number;
  readonly lengthM: number;
  /** For each phase: start (s), distance into the street (m), speed (m/s) at the start, acceleration, leg. */
  readonly phases: Float64Array;
  /** For each leg, which is one straight street: x and y of its start, unit vector, length (m). */
  readonly legs: Float64Array;
  /** The street of each leg. */
  readonly streets: Uint32Array;
}

export const PHASE = 5;
export const LEG = 5;

interface Route {
  readonly network: Streets;
  readonly from: number;
  /** Streets in order. */
  readonly route: readonly number[];
  readonly pace: Pace;
  /** Determines the waits at crossings. */
  readonly seed: number;
  meeting(node: number): number;
}

export function driveAlong(trip: Route): Drive {
  const legs = legsOf(trip);
  const limits = trip.route.map((street) => Math.min(trip.pace.topSpeed, trip.network.streets[street]!.limitKmh / 3.6));
  const waits = waitsOf(trip);
  const speeds = speedsAtNodes(trip, legs, limits, waits);
  const phases: number[] = [];
  let at = 0;
  let lengthM = 0;
  for (let leg = 0; leg < limits.length; leg++) {
    const length = legs[leg * LEG + 4]!;
    at = addPhases(phases, at, leg, length, speeds[leg]!, speeds[leg + 1]!, limits[leg]!, trip.pace);
    lengthM += length;
    if (waits[leg + 1]! > 0) {
      phases.push(at, length, 0, 0, leg);
      at += waits[leg + 1]!;
    }
  }
  return {
    durationS: at,
    lengthM,
    phases: Float64Array.from(phases),
    legs,
    streets: Uint32Array.from(trip.route),
  };
}

function legsOf({ network, from, route }: Route): Float64Array {
  const legs = new Float64Array(route.length * LEG);
  let node = from;
  route.forEach((street, leg) => {
    const { a, b, lengthM } = network.streets[street]!;
    const next = a === node ? b : a;
    const [p, q] = [network.nodes[node]!, network.nodes[next]!];
    legs.set([p.x, p.y, (q.x - p.x) / lengthM, (q.y - p.y) / lengthM, lengthM], leg * LEG);
    node = next;
  });
  return legs;
}

/** Seconds of waiting at each node of the route. There is no wait at its ends. */
function waitsOf({ network, from, route, pace, seed, meeting }: Route): number[] {
  const waits = [0];
  let node = from;
  route.forEach((street, leg) => {
    const { a, b, kind } = network.streets[street]!;
    node = a === node ? b : a;
    const isLast = leg === route.length - 1;
    const isCrossing = !isLast && kind !== 'ring' && meeting(node) > 2;
    const chance = shareOf(seed, node, 1);
    const [least, most] = pace.waitS;
    waits.push(isCrossing && chance < pace.waitShare ? least + (most - least) * shareOf(seed, node, 2) : 0);
  });
  return waits;
}

/** The highest speed at each node that turns, limits, braking and acceleration allow. */
function speedsAtNodes(
  { pace }: Route,
  legs: Float64Array,
  limits: readonly number[],
  waits: readonly number[],
): number[] {
  const count = limits.length;
  const speeds = waits.map((wait, node) => {
    if (node === 0 || node === count || wait > 0) return 0;
    return Math.min(limits[node - 1]!, limits[node]!, turnSpeed(pace, legs, node));
  });
  for (let node = count - 1; node >= 0; node--) {
    const reachable = Math.sqrt(speeds[node + 1]! ** 2 + 2 * pace.braking * legs[node * LEG + 4]!);
    speeds[node] = Math.min(speeds[node]!, reachable);
  }
  for (let node = 0; node < count; node++) {
    const reachable = Math.sqrt(speeds[node]! ** 2 + 2 * pace.acceleration * legs[node * LEG + 4]!);
    speeds[node + 1] = Math.min(speeds[node + 1]!, reachable);
  }
  return speeds;
}

function turnSpeed(pace: Pace, legs: Float64Array, node: number): number {
  const [i, o] = [(node - 1) * LEG, node * LEG];
  const cosine = legs[i + 2]! * legs[o + 2]! + legs[i + 3]! * legs[o + 3]!;
  if (cosine < 0.5) return pace.sharpTurn;
  return cosine < 0.94 ? pace.slightTurn : Number.POSITIVE_INFINITY;
}

/** Appends the phases of one leg and returns the time at its end. */
function addPhases(
  phases: number[],
  start: number,
  leg: number,
  length: number,
  entry: number,
  exit: number,
  limit: number,
  { acceleration: a, braking: b }: Pace,
): number {
  const peak = Math.min(limit, Math.sqrt((2 * a * b * length + b * entry ** 2 + a * exit ** 2) / (a + b)));
  const speedingM = Math.max(0, (peak ** 2 - entry ** 2) / (2 * a));
  const brakingM = Math.max(0, (peak ** 2 - exit ** 2) / (2 * b));
  const cruisingM = Math.max(0, length - speedingM - brakingM);
  let at = start;
  if (speedingM > 0) {
    phases.push(at, 0, entry, a, leg);
    at += (peak - entry) / a;
  }
  if (cruisingM > 1e-9) {
    phases.push(at, speedingM, peak, 0, leg);
    at += cruisingM / peak;
  }
  if (brakingM > 0) {
    phases.push(at, length - brakingM, peak, -b, leg);
    at += (peak - exit) / b;
  }
  return at;
}

/** The position within a drive. The object is reused, since one is needed for each fix. */
export interface OnDrive {
  x: number;
  y: number;
  /** m/s. */
  speed: number;
  leg: number;
}

export function onDrive({ phases, legs }: Drive, atS: number, out: OnDrive): void {
  let low = 0;
  let high = phases.length / PHASE - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (phases[middle * PHASE]! <= atS) low = middle;
    else high = middle - 1;
  }
  const p = low * PHASE;
  const s = atS - phases[p]!;
  const a = phases[p + 3]!;
  const leg = phases[p + 4]!;
  const l = leg * LEG;
  const m = Math.min(legs[l + 4]!, phases[p + 1]! + phases[p + 2]! * s + (a * s * s) / 2);
  out.x = legs[l]! + legs[l + 2]! * m;
  out.y = legs[l + 1]! + legs[l + 3]! * m;
  out.speed = Math.max(0, phases[p + 2]! + a * s);
  out.leg = leg;
}

/** The time (s) at which the distance `m` into a leg is reached. */
export function whenOnLeg({ phases }: Drive, leg: number, m: number): number {
  let found = -1;
  for (let p = 0; p < phases.length; p += PHASE) {
    if (phases[p + 4] !== leg || (found >= 0 && phases[p + 1]! > m)) continue;
    found = p;
  }
  const left = Math.max(0, m - phases[found + 1]!);
  const v = phases[found + 2]!;
  const root = Math.sqrt(Math.max(0, v * v + 2 * phases[found + 3]! * left));
  return phases[found]! + (left === 0 ? 0 : (2 * left) / (v + root));
}
