/** A topology as world-atlas has it: arcs of deltas on a grid. */
export interface Topology {
  readonly type: 'Topology';
  readonly arcs: Spot[][];
  readonly transform: { readonly scale: Spot; readonly translate: Spot };
  readonly objects: Record<string, Geometry>;
}

export type Spot = [x: number, y: number];

/** Arcs are named by their index, and by its complement (`~index`) where they are run through backwards. */
export interface Geometry {
  readonly type: string;
  readonly arcs?: unknown;
  readonly geometries?: Geometry[];
  readonly properties?: { readonly name: string };
}

export function absolute(arc: readonly Spot[]): Spot[] {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [x, y];
  });
}

export function deltas(points: readonly Spot[]): Spot[] {
  return points.map(([x, y], index) => {
    const before = points[index - 1];
    return before === undefined ? [x, y] : [x - before[0], y - before[1]];
  });
}
