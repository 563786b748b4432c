import { isCut } from './antimeridian.ts';
import { absolute, deltas, type Geometry, type Spot, type Topology } from './topology.ts';

/**
 * The same with fewer vertices, and without all that is not drawn. Ends of arcs stay, so neighbours still meet. Coasts
 * and borders are named apart, since the sides of a cut are neither.
 */
export function simplified(topology: Topology, toleranceDeg: number): Topology {
  const { scale, translate } = topology.transform;
  const arcs = topology.arcs.map((arc) => {
    const points = absolute(arc).map(([x, y]): Spot => [x * scale[0], y * scale[1]]);
    const fewer = thinned(points, toleranceDeg);
    return deltas(fewer.map(([x, y]) => [Math.round(x / scale[0]), Math.round(y / scale[1])]));
  });
  const countries = topology.objects.countries!.geometries!;
  const neighbours = topology.arcs.map(() => new Set<Geometry>());
  for (const country of countries)
    for (const arc of (country.arcs as number[][][]).flat(2)) neighbours[arc >= 0 ? arc : ~arc]!.add(country);
  const lines = (has: (countries: number) => boolean): Geometry => ({
    type: 'MultiLineString',
    arcs: neighbours.flatMap(({ size }, arc) => (has(size) && !isCut(topology.arcs[arc]!, topology) ? [[arc]] : [])),
  });
  return {
    type: 'Topology',
    arcs,
    transform: { scale, translate },
    objects: {
      countries: {
        type: 'GeometryCollection',
        geometries: countries.map(({ type, arcs: parts }) => ({ type, arcs: parts })),
      },
      coast: lines((size) => size === 1),
      borders: lines((size) => size > 1),
    },
  };
}

/** Douglas and Peucker's rule. A ring in one arc keeps at least a triangle. */
function thinned(points: Spot[], tolerance: number): Spot[] {
  if (points.length < 5) return points;
  const keeps = new Uint8Array(points.length);
  keeps[0] = keeps[points.length - 1] = 1;
  const [first, last] = [points[0]!, points.at(-1)!];
  const isRing = first[0] === last[0] && first[1] === last[1];
  const middle = Math.floor(points.length / 2);
  if (isRing) keeps[middle] = keeps[Math.floor(middle / 2)] = keeps[Math.floor((middle * 3) / 2)] = 1;
  const spans: Spot[] = isRing
    ? [
        [0, middle],
        [middle, points.length - 1],
      ]
    : [[0, points.length - 1]];
  for (let span = spans.pop(); span; span = spans.pop()) {
    const [from, to] = span;
    let [worst, at] = [tolerance, -1];
    for (let index = from + 1; index < to; index++) {
      const away = distance(points[index]!, points[from]!, points[to]!);
      if (away > worst) [worst, at] = [away, index];
    }
    if (at < 0) continue;
    keeps[at] = 1;
    spans.push([from, at], [at, to]);
  }
  return points.filter((_, index) => keeps[index] === 1);
}

function distance([x, y]: Spot, [ax, ay]: Spot, [bx, by]: Spot): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}
