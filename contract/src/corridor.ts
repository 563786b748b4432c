/**
 * Computes the outline of a corridor along a route, which is an ordinary geofence. All places within its width of the
 * route are inside, and no place farther away than 1.05 times its width is.
 */

export interface RoutePlace {
  readonly lat: number;
  readonly lng: number;
}

/** As stored in `meta.corridor` of a geofence, so that it can be edited later. */
export interface Corridor {
  readonly path: readonly RoutePlace[];
  /** In metres, on each side. */
  readonly widthM: number;
}

export const LEAST_WIDTH_M = 5;
export const MOST_WIDTH_M = 10_000;
export const MOST_ROUTE_PLACES = 1000;
/** Maximum number of vertices of an outline. */
const MOST_VERTICES = 2000;
/** Maximum ratio of length to width, because the route is processed step by step. */
const MOST_LENGTHS = 3000;

export type CorridorProblem = 'few' | 'many' | 'width' | 'antimeridian' | 'poles' | 'long' | 'complex';

const EARTH_M = 6_371_008.8;
const RAD = Math.PI / 180;
const METRES_PER_DEGREE = EARTH_M * RAD;
const MOST_LAT = 85;
/** Fractions of the width: position of the edge, resolution of the search, tolerance of the simplification. */
const EDGE = 1.015;
const STEP = 0.05;
const SIMPLER = 0.005;
const BOW = 0.002;

interface Segment {
  readonly a: RoutePlace;
  readonly b: RoutePlace;
}

/** Reads the corridor in `meta` of a geofence; undefined if it is absent or invalid. */
export function corridorIn(meta: Readonly<Record<string, unknown>> | null | undefined): Corridor | undefined {
  const { path, widthM } = (meta?.corridor ?? {}) as { path?: unknown; widthM?: unknown };
  if (!Array.isArray(path) || typeof widthM !== 'number') return undefined;
  const isPlace = (one: unknown): one is RoutePlace =>
    typeof (one as RoutePlace)?.lat === 'number' && typeof (one as RoutePlace)?.lng === 'number';
  return path.every(isPlace) ? { path, widthM } : undefined;
}

export function corridorOutline({
  path,
  widthM,
}: Corridor): { readonly outline: readonly RoutePlace[] } | { readonly problem: CorridorProblem } {
  const problem = problemOf(path, widthM);
  if (problem !== undefined) return { problem };
  const segments = piecesOf(path, widthM);
  const lengthM = segments.reduce((sum, { a, b }) => sum + Math.hypot(...offsetM(a, b)), 0);
  if (lengthM > widthM * MOST_LENGTHS) return { problem: 'long' };
  const rings = edgesOf(segments, widthM * EDGE, widthM * STEP)
    .map((ring) => simplified(ring, widthM))
    .filter((ring) => ring.length >= 3)
    .sort((one, other) => Math.abs(areaOf(other)) - Math.abs(areaOf(one)));
  const [outer, ...holes] = rings;
  if (outer === undefined) return { problem: 'few' };
  const outline = holes.reduce(joined, outer);
  return outline.length > MOST_VERTICES ? { problem: 'complex' } : { outline: outline.map(rounded) };
}

function problemOf(path: readonly RoutePlace[], widthM: number): CorridorProblem | undefined {
  if (!(widthM >= LEAST_WIDTH_M && widthM <= MOST_WIDTH_M)) return 'width';
  if (path.length > MOST_ROUTE_PLACES) return 'many';
  const isSame = (one: RoutePlace, other: RoutePlace) => one.lat === other.lat && one.lng === other.lng;
  if (path.length < 2 || path.every((place) => isSame(place, path[0]!))) return 'few';
  const marginDeg = (widthM * 1.1) / METRES_PER_DEGREE;
  if (path.some(({ lat }) => !(Math.abs(lat) + marginDeg < MOST_LAT))) return 'poles';
  const reaches = ({ lat, lng }: RoutePlace) => Math.abs(lng) + marginDeg / Math.cos(lat * RAD) >= 180;
  const jumps = path.some((place, index) => index > 0 && Math.abs(place.lng - path[index - 1]!.lng) > 180);
  return jumps || path.some((place) => !(Math.abs(place.lng) <= 180) || reaches(place)) ? 'antimeridian' : undefined;
}

/** Offset between two nearby places, in metres east and north. */
function offsetM(from: RoutePlace, to: RoutePlace): [east: number, north: number] {
  const middle = ((from.lat + to.lat) / 2) * RAD;
  return [(to.lng - from.lng) * METRES_PER_DEGREE * Math.cos(middle), (to.lat - from.lat) * METRES_PER_DEGREE];
}

/** The route along great circles, in segments short enough to be straight. */
function piecesOf(path: readonly RoutePlace[], widthM: number): Segment[] {
  const mostM = Math.min(1000, Math.max(50, widthM * 4));
  const pieces: Segment[] = [];
  for (let index = 1; index < path.length; index++) {
    const [from, to] = [path[index - 1]!, path[index]!];
    const count = Math.max(1, Math.ceil(angleBetween(from, to) / (mostM / EARTH_M)));
    let last = from;
    for (let step = 1; step <= count; step++) {
      const next = step === count ? to : between(from, to, step / count);
      if (next.lat !== last.lat || next.lng !== last.lng) pieces.push({ a: last, b: next });
      last = next;
    }
  }
  return pieces;
}

function vectorOf({ lat, lng }: RoutePlace): [number, number, number] {
  const out = Math.cos(lat * RAD);
  return [out * Math.cos(lng * RAD), out * Math.sin(lng * RAD), Math.sin(lat * RAD)];
}

function angleBetween(a: RoutePlace, b: RoutePlace): number {
  const [p, q] = [vectorOf(a), vectorOf(b)];
  return 2 * Math.asin(Math.min(1, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) / 2));
}

function between(a: RoutePlace, b: RoutePlace, share: number): RoutePlace {
  const angle = angleBetween(a, b);
  if (angle < 1e-12) return a;
  const [p, q] = [vectorOf(a), vectorOf(b)];
  const [one, other] = [Math.sin((1 - share) * angle) / Math.sin(angle), Math.sin(share * angle) / Math.sin(angle)];
  const [x, y, z] = [0, 1, 2].map((axis) => one * p[axis]! + other * q[axis]!) as [number, number, number];
  return { lat: Math.atan2(z, Math.hypot(x, y)) / RAD, lng: Math.atan2(y, x) / RAD };
}

/** Distance of a place from the route in metres; infinite beyond a few widths. */
function distanceTo(segments: readonly Segment[], nearM: number): (lat: number, lng: number) => number {
  const cell = (nearM * 1.2) / METRES_PER_DEGREE;
  const mostLat = Math.min(89, Math.max(...segments.flatMap(({ a, b }) => [Math.abs(a.lat), Math.abs(b.lat)])) + cell);
  const wide = cell / Math.cos(mostLat * RAD);
  const buckets = new Map<number, Segment[]>();
  const keyOf = (row: number, column: number) => row * 67_108_864 + column;
  for (const segment of segments) {
    const { a, b } = segment;
    const [south, north] = [Math.min(a.lat, b.lat), Math.max(a.lat, b.lat)];
    const [west, east] = [Math.min(a.lng, b.lng), Math.max(a.lng, b.lng)];
    for (let row = Math.floor(south / cell) - 1; row <= Math.floor(north / cell) + 1; row++)
      for (let column = Math.floor(west / wide) - 1; column <= Math.floor(east / wide) + 1; column++) {
        const known = buckets.get(keyOf(row, column));
        if (known === undefined) buckets.set(keyOf(row, column), [segment]);
        else known.push(segment);
      }
  }
  return (lat, lng) => {
    let least = Number.POSITIVE_INFINITY;
    for (const { a, b } of buckets.get(keyOf(Math.floor(lat / cell), Math.floor(lng / wide))) ?? []) {
      const scale = METRES_PER_DEGREE * Math.cos(((2 * lat + a.lat + b.lat) / 4) * RAD);
      const [ax, ay] = [(a.lng - lng) * scale, (a.lat - lat) * METRES_PER_DEGREE];
      const [bx, by] = [(b.lng - lng) * scale, (b.lat - lat) * METRES_PER_DEGREE];
      const [dx, dy] = [bx - ax, by - ay];
      const share = Math.max(0, Math.min(1, -(ax * dx + ay * dy) / (dx * dx + dy * dy)));
      least = Math.min(least, (ax + share * dx) ** 2 + (ay + share * dy) ** 2);
    }
    return Math.sqrt(least);
  };
}

/** Sides of a cell: south, east, north, west. */
const NEXT = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

/**
 * The lines at distance `edgeM` from the route, found by marching squares: they are followed from cell to cell of a
 * grid, starting wherever a side or an end of a segment may be part of one. Each is a ring with the corridor on its
 * left.
 */
function edgesOf(segments: readonly Segment[], edgeM: number, stepM: number): RoutePlace[][] {
  const distance = distanceTo(segments, edgeM + 4 * stepM);
  const stepLat = stepM / METRES_PER_DEGREE;
  const leastLat = Math.min(...segments.flatMap(({ a, b }) => [Math.abs(a.lat), Math.abs(b.lat)]));
  const stepLng = stepLat / Math.cos(leastLat * RAD);
  const origin = segments[0]!.a;
  const keyOf = (column: number, row: number) => column * 67_108_864 + row;
  const latOf = (row: number) => origin.lat + row * stepLat;
  const lngOf = (column: number) => origin.lng + column * stepLng;
  const known = new Map<number, number>();
  /** Positive inside. */
  const depth = (column: number, row: number): number => {
    const key = keyOf(column, row);
    let found = known.get(key);
    if (found === undefined) {
      found = edgeM - Math.min(distance(latOf(row), lngOf(column)), 2 * edgeM);
      known.set(key, found);
    }
    return found;
  };
  /** Corners of a cell in the order of its sides. */
  const corner = (column: number, row: number, index: number): [number, number] =>
    [[column, row] as const, [column + 1, row] as const, [column + 1, row + 1] as const, [column, row + 1] as const][
      index & 3
    ]! as [number, number];
  const isIn = (column: number, row: number, index: number) => depth(...corner(column, row, index)) > 0;

  /** The point where the line crosses a side, by bisection. */
  function passing(column: number, row: number, side: number): RoutePlace {
    const [from, to] = [corner(column, row, side), corner(column, row, side + 1)];
    let [low, high] = depth(...from) > 0 ? [0, 1] : [1, 0];
    const at = (share: number): RoutePlace => ({
      lat: latOf(from[1] + (to[1] - from[1]) * share),
      lng: lngOf(from[0] + (to[0] - from[0]) * share),
    });
    for (let round = 0; round < 6; round++) {
      const middle = (low + high) / 2;
      const { lat, lng } = at(middle);
      if (distance(lat, lng) < edgeM) low = middle;
      else high = middle;
    }
    return at((low + high) / 2);
  }

  /** The side where a line leaves that entered by another: in a cell with two lines, its center decides. */
  function exitOf(column: number, row: number, entry: number): number {
    // A line enters with the corridor on its left: along the side, from a corner outside to one inside.
    const sides = [0, 1, 2, 3].filter((side) => !isIn(column, row, side + 1) && isIn(column, row, side));
    if (sides.length === 1) return sides[0]!;
    const isMiddleIn = distance(latOf(row + 0.5), lngOf(column + 0.5)) < edgeM;
    return isMiddleIn ? (entry + 1) & 3 : (entry + 3) & 3;
  }

  const rings: RoutePlace[][] = [];
  const done = new Set<number>();
  function follow(column: number, row: number, side: number): void {
    const ring: RoutePlace[] = [];
    let [x, y, entry] = [column, row, side];
    for (;;) {
      const key = keyOf(x, y) * 4 + entry;
      if (done.has(key)) break;
      done.add(key);
      ring.push(passing(x, y, entry));
      const exit = exitOf(x, y, entry);
      x += NEXT[exit]![0];
      y += NEXT[exit]![1];
      entry = (exit + 2) & 3;
    }
    rings.push(ring);
  }
  function begin(place: RoutePlace): void {
    // The place is probably inside another segment.
    if (Math.abs(distance(place.lat, place.lng) - edgeM) > stepM) return;
    const column = Math.floor((place.lng - origin.lng) / stepLng);
    const row = Math.floor((place.lat - origin.lat) / stepLat);
    for (let side = 0; side < 4; side++) {
      const isEntry = !isIn(column, row, side) && isIn(column, row, side + 1);
      if (isEntry && !done.has(keyOf(column, row) * 4 + side)) follow(column, row, side);
    }
  }
  for (const place of touchedBy(segments, edgeM, stepM / 2)) begin(place);
  return rings;
}

/** Places along the sides of the segments, and around their ends. */
function* touchedBy(segments: readonly Segment[], edgeM: number, stepM: number): Generator<RoutePlace> {
  const moved = (from: RoutePlace, east: number, north: number): RoutePlace => {
    const lat = from.lat + north / METRES_PER_DEGREE;
    return { lat, lng: from.lng + east / (METRES_PER_DEGREE * Math.cos(((from.lat + lat) / 2) * RAD)) };
  };
  /** Between two segments of a straight route there is nothing to go around. */
  const isBend = (index: number) => {
    const [before, here, after] = [segments[index - 1], segments[index]!, segments[index + 1]];
    return !before || !after || !isStraight(before, here) || !isStraight(here, after);
  };
  for (const [index, { a, b }] of segments.entries()) {
    const [east, north] = offsetM(a, b);
    const length = Math.hypot(east, north);
    const count = Math.ceil(length / stepM);
    for (let step = 0; step <= count; step++) {
      const share = step / count;
      for (const side of [-edgeM, edgeM])
        yield moved(a, east * share - (north / length) * side, north * share + (east / length) * side);
    }
    const turns = Math.ceil((2 * Math.PI * edgeM) / stepM);
    for (const end of isBend(index) ? [a, b] : [])
      for (let turn = 0; turn < turns; turn++) {
        const angle = (turn / turns) * 2 * Math.PI;
        yield moved(end, edgeM * Math.cos(angle), edgeM * Math.sin(angle));
      }
  }
}

function isStraight(one: Segment, next: Segment): boolean {
  const [[x, y], [u, v]] = [offsetM(one.a, one.b), offsetM(next.a, next.b)];
  return x * u + y * v > 0 && Math.abs(x * v - y * u) < 0.001 * Math.hypot(x, y) * Math.hypot(u, v);
}

/** Twice the area in square degrees: positive if the ring is counterclockwise. */
const areaOf = (ring: readonly RoutePlace[]): number =>
  ring.reduce((sum, one, index) => {
    const next = ring[(index + 1) % ring.length]!;
    return sum + one.lng * next.lat - next.lng * one.lat;
  }, 0);

/**
 * Simplifies a ring (Douglas-Peucker). Edges stay so short that the difference between straight lines on a map and on
 * the globe does not matter.
 */
function simplified(ring: readonly RoutePlace[], widthM: number): RoutePlace[] {
  if (ring.length < 8) return [...ring];
  const steepest = Math.max(...[0, ring.length >> 1].map((index) => Math.abs(Math.tan(ring[index]!.lat * RAD))), 0.01);
  const longestM = Math.sqrt((BOW * widthM * 8 * EARTH_M) / steepest);
  const far = Math.floor(ring.length / 2);
  const closed = [...ring, ring[0]!];
  const kept = keptOf(closed, [0, far, ring.length], widthM * SIMPLER, longestM);
  return ring.filter((_, index) => kept[index] === 1);
}

/** Simplifies a route, such as that of a trip, to within a few metres. */
export function simplerRoute(path: readonly RoutePlace[], toleranceM: number): RoutePlace[] {
  if (path.length < 3) return [...path];
  const kept = keptOf(path, [0, path.length - 1], toleranceM, Number.POSITIVE_INFINITY);
  return path.filter((_, index) => kept[index] === 1);
}

/** Marks the places of a line to keep, in addition to the required ones. */
function keptOf(
  line: readonly RoutePlace[],
  fixed: readonly number[],
  toleranceM: number,
  longestM: number,
): Uint8Array {
  const kept = new Uint8Array(line.length);
  for (const index of fixed) kept[index] = 1;
  const stack = fixed.slice(1).map((to, index): [number, number] => [fixed[index]!, to]);
  while (stack.length > 0) {
    const [from, to] = stack.pop()!;
    if (to - from < 2) continue;
    const [dx, dy] = offsetM(line[from]!, line[to]!);
    const length = Math.hypot(dx, dy);
    let [worst, most] = [-1, -1];
    for (let index = from + 1; index < to; index++) {
      const [x, y] = offsetM(line[from]!, line[index]!);
      const share = length === 0 ? 0 : Math.max(0, Math.min(1, (x * dx + y * dy) / (length * length)));
      const away = Math.hypot(x - share * dx, y - share * dy);
      if (away > most) [worst, most] = [index, away];
    }
    if (most <= toleranceM && length <= longestM) continue;
    // A straight line that is too long is divided in its middle.
    const cut = most > toleranceM ? worst : (from + to) >> 1;
    kept[cut] = 1;
    stack.push([from, cut], [cut, to]);
  }
  return kept;
}

/** An outline has no holes: a hole is joined to the surrounding line by two coincident edges at the closest points. */
function joined(outer: RoutePlace[], hole: RoutePlace[]): RoutePlace[] {
  let [least, here, there] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const [index, one] of outer.entries())
    for (const [other, two] of hole.entries()) {
      const away = Math.hypot(...offsetM(one, two));
      if (away < least) [least, here, there] = [away, index, other];
    }
  return [...outer.slice(0, here + 1), ...hole.slice(there), ...hole.slice(0, there + 1), ...outer.slice(here)];
}

/** Rounds to about a centimetre. */
const rounded = ({ lat, lng }: RoutePlace): RoutePlace => ({
  lat: Math.round(lat * 1e7) / 1e7,
  lng: Math.round(lng * 1e7) / 1e7,
});
