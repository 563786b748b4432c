/** A topology as world-atlas has it: arcs of deltas on a grid. */
export interface Topology {
  readonly type: 'Topology';
  readonly arcs: [number, number][][];
  readonly transform: { readonly scale: [number, number]; readonly translate: [number, number] };
  readonly objects: Record<string, unknown>;
}

interface Geometry {
  readonly type: string;
  readonly arcs?: unknown;
  readonly geometries?: Geometry[];
}

/** The same with fewer vertices, and without all that is not drawn. Ends of arcs stay, so neighbours still meet. */
export function simplified(topology: Topology, toleranceDeg: number): Topology {
  const { scale, translate } = topology.transform;
  const arcs = topology.arcs.map((arc) => {
    const points = absolute(arc).map(([x, y]): [number, number] => [x * scale[0], y * scale[1]]);
    const kept = thinned(points, toleranceDeg);
    return deltas(kept.map(([x, y]) => [Math.round(x / scale[0]), Math.round(y / scale[1])]));
  });
  const countries = topology.objects.countries as { geometries: Geometry[] };
  const bare = countries.geometries.map(({ type, arcs: parts }) => ({ type, arcs: parts }));
  return {
    type: 'Topology',
    arcs,
    transform: { scale, translate },
    objects: { countries: { type: 'GeometryCollection', geometries: bare } },
  };
}

function absolute(arc: readonly [number, number][]): [number, number][] {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [x, y];
  });
}

function deltas(points: readonly [number, number][]): [number, number][] {
  return points.map(([x, y], index) => {
    const before = points[index - 1];
    return before === undefined ? [x, y] : [x - before[0], y - before[1]];
  });
}

/** Douglas and Peucker's rule. A ring in one arc keeps at least a triangle. */
function thinned(points: [number, number][], tolerance: number): [number, number][] {
  if (points.length < 5) return points;
  const keeps = new Uint8Array(points.length);
  keeps[0] = keeps[points.length - 1] = 1;
  const [first, last] = [points[0]!, points.at(-1)!];
  const isRing = first[0] === last[0] && first[1] === last[1];
  const middle = Math.floor(points.length / 2);
  if (isRing) keeps[middle] = keeps[Math.floor(middle / 2)] = keeps[Math.floor((middle * 3) / 2)] = 1;
  const spans: [number, number][] = isRing
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

function distance([x, y]: [number, number], [ax, ay]: [number, number], [bx, by]: [number, number]): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}
