import {
  chordSquared,
  cross,
  dot,
  lengthOf,
  perpendicularTo,
  steadyCross,
  sum,
  type Vector,
} from '../../platform/vector.ts';

/**
 * The closed line around a polygon, stored for speed: a position may be compared with many fences, each of up to 2,000
 * edges. So all edges are in one array, and edges of long lines are grouped in runs of neighbours that can be skipped
 * together.
 */
export interface Edges {
  readonly count: number;
  /**
   * Six numbers per edge: the corner it starts from, and the unit normal of the plane through the edge and the earth's
   * centre. The first corner is repeated at the end.
   */
  readonly values: Float64Array;
  /** Four numbers per run: a centre, and the longest chord from there to a point of the run. */
  readonly runs: Float64Array | undefined;
}

const EDGE = 6;
const RUN = 4;
const EDGES_PER_RUN = 16;
/** Up to this many edges are faster to check than to skip. */
const EDGES_WITHOUT_RUNS = 32;

/** No two successive corners may be equal or opposite. */
export function edgesOf(corners: readonly Vector[]): Edges {
  const count = corners.length;
  const values = new Float64Array((count + 1) * EDGE);
  for (let i = 0; i <= count; i++) {
    const corner = corners[i % count]!;
    const across = steadyCross(corner, corners[(i + 1) % count]!);
    const length = lengthOf(across);
    values.set([corner.x, corner.y, corner.z, across.x / length, across.y / length, across.z / length], i * EDGE);
  }
  const edges = { count, values, runs: undefined };
  return count > EDGES_WITHOUT_RUNS ? { ...edges, runs: runsOf(corners) } : edges;
}

function runsOf(corners: readonly Vector[]): Float64Array {
  const runs = new Float64Array(Math.ceil(corners.length / EDGES_PER_RUN) * RUN);
  for (let run = 0; run * RUN < runs.length; run++) {
    const first = run * EDGES_PER_RUN;
    const own = corners.slice(first, first + EDGES_PER_RUN);
    const next = corners[(first + own.length) % corners.length]!;
    const { center, chord } = capAround([...own, next]);
    runs.set([center.x, center.y, center.z, chord], run * RUN);
  }
  return runs;
}

/**
 * A cap that contains these points and the arcs between them, as the chord from its centre to its rim. The chord is 2,
 * the whole globe, if they do not fit in a cap of 80°: only within less than half a globe do arcs stay inside the cap
 * of their ends.
 */
export function capAround(points: readonly Vector[]): { center: Vector; chord: number } {
  const low = { x: Infinity, y: Infinity, z: Infinity };
  const high = { x: -Infinity, y: -Infinity, z: -Infinity };
  for (const point of points) {
    for (const axis of ['x', 'y', 'z'] as const) {
      low[axis] = Math.min(low[axis], point[axis]);
      high[axis] = Math.max(high[axis], point[axis]);
    }
  }
  const middle = sum(low, high);
  const length = lengthOf(middle);
  if (length < 1e-6) return { center: points[0]!, chord: 2 };
  const center = { x: middle.x / length, y: middle.y / length, z: middle.z / length };
  let farthest = 0;
  for (const point of points) farthest = Math.max(farthest, chordSquared(center, point));
  const chord = Math.sqrt(farthest) * (1 + 1e-12) + 1e-15;
  return { center, chord: chord > 2 * Math.sin((40 * Math.PI) / 180) ? 2 : chord };
}

/** Square of the chord from a place to the nearest point of the line. */
export function nearestChordSquared(edges: Edges, place: Vector): number {
  const { count, runs } = edges;
  if (runs === undefined) return nearestOf(edges, place, 0, count, 4);
  const { x, y, z } = place;
  let closest = 0;
  let least = Infinity;
  for (let at = 0; at < runs.length; at += RUN) {
    const dx = x - runs[at]!;
    const dy = y - runs[at + 1]!;
    const dz = z - runs[at + 2]!;
    const away = dx * dx + dy * dy + dz * dz;
    if (away < least) {
      least = away;
      closest = at;
    }
  }
  // Starts with the run with the nearest centre, because hardly any other can be closer.
  let best = nearestOfRun(edges, place, closest, 4);
  let bestChord = Math.sqrt(best);
  for (let at = 0; at < runs.length; at += RUN) {
    if (at === closest) continue;
    const dx = x - runs[at]!;
    const dy = y - runs[at + 1]!;
    const dz = z - runs[at + 2]!;
    const reach = bestChord + runs[at + 3]!;
    if (dx * dx + dy * dy + dz * dz > reach * reach) continue;
    const found = nearestOfRun(edges, place, at, best);
    if (found < best) {
      best = found;
      bestChord = Math.sqrt(best);
    }
  }
  return best;
}

function nearestOfRun(edges: Edges, place: Vector, at: number, best: number): number {
  const first = (at / RUN) * EDGES_PER_RUN;
  return nearestOf(edges, place, first, Math.min(first + EDGES_PER_RUN, edges.count), best);
}

/** The same for the edges from first to last, but at most `best`. */
function nearestOf(edges: Edges, place: Vector, first: number, last: number, best: number): number {
  const { values } = edges;
  const { x, y, z } = place;
  let at = first * EDGE;
  let ax = values[at]!;
  let ay = values[at + 1]!;
  let az = values[at + 2]!;
  // The place relative to the corner: corner × place.
  let ux = ay * z - az * y;
  let uy = az * x - ax * z;
  let uz = ax * y - ay * x;
  let nearest = best;
  for (let i = first; i < last; i++) {
    const nx = values[at + 3]!;
    const ny = values[at + 4]!;
    const nz = values[at + 5]!;
    const toCorner = (x - ax) * (x - ax) + (y - ay) * (y - ay) + (z - az) * (z - az);
    if (toCorner < nearest) nearest = toCorner;
    const afterStart = nx * ux + ny * uy + nz * uz;
    at += EDGE;
    ax = values[at]!;
    ay = values[at + 1]!;
    az = values[at + 2]!;
    ux = ay * z - az * y;
    uy = az * x - ax * z;
    uz = ax * y - ay * x;
    // The distance to the plane is that to the edge only between its start and its end.
    if (afterStart > 0 && nx * ux + ny * uy + nz * uz < 0) {
      const sine = nx * x + ny * y + nz * z;
      const square = sine * sine;
      if (square < nearest) {
        const chord = (2 * square) / (1 + Math.sqrt(Math.max(0, 1 - square)));
        if (chord < nearest) nearest = chord;
      }
    }
  }
  return nearest;
}

/**
 * Whether the arc between two places crosses the line an odd number of times; between opposite places any arc is
 * correct.
 *
 * Each corner is classified once, as left or right of the arc, so that an arc through a corner is counted correctly. If
 * an edge changes sides, the crossing is computed on the edge itself, so that an edge along the arc is counted
 * correctly too.
 */
export function crossesOddly(edges: Edges, from: Vector, to: Vector): boolean {
  const { count, runs } = edges;
  const plane = planeThrough(from, to);
  if (runs === undefined) return oddOf(edges, plane, from, to, 0, count);
  const length = lengthOf(plane);
  let odd = false;
  for (let at = 0; at < runs.length; at += RUN) {
    const height = plane.x * runs[at]! + plane.y * runs[at + 1]! + plane.z * runs[at + 2]!;
    // The whole run is on one side.
    if (Math.abs(height) > runs[at + 3]! * length) continue;
    const first = (at / RUN) * EDGES_PER_RUN;
    if (oddOf(edges, plane, from, to, first, Math.min(first + EDGES_PER_RUN, count))) odd = !odd;
  }
  return odd;
}

function planeThrough(from: Vector, to: Vector): Vector {
  const isOpposite = from.x === -to.x && from.y === -to.y && from.z === -to.z;
  return isOpposite ? perpendicularTo(from) : steadyCross(from, to);
}

function oddOf(edges: Edges, plane: Vector, from: Vector, to: Vector, first: number, last: number): boolean {
  const { values } = edges;
  const { x, y, z } = plane;
  let odd = false;
  let side = 0;
  for (let i = first; i <= last; i++) {
    const at = i * EDGE;
    const before = side;
    side = x * values[at]! + y * values[at + 1]! + z * values[at + 2]!;
    if (i > first && before < 0 !== side < 0 && isBetween(meeting(values, at, before, side), plane, from, to))
      odd = !odd;
  }
  return odd;
}

/**
 * The point, as a vector of any length, where the edge that ends at `at` meets the plane, given the heights of its ends
 * over the plane.
 */
function meeting(values: Float64Array, at: number, before: number, after: number): Vector {
  const a = Math.abs(after);
  const b = Math.abs(before);
  return {
    x: a * values[at - 6]! + b * values[at]!,
    y: a * values[at - 5]! + b * values[at + 1]!,
    z: a * values[at - 4]! + b * values[at + 2]!,
  };
}

function isBetween(point: Vector, plane: Vector, from: Vector, to: Vector): boolean {
  return dot(cross(plane, from), point) > 0 && dot(cross(to, plane), point) > 0;
}
