import type { TilePoint } from './vector-tile.ts';

/** Cuts shapes to a square from `low` to `high` on both axes. */

/** The parts of a line inside. */
export function clipLine(points: readonly TilePoint[], low: number, high: number): TilePoint[][] {
  const parts: TilePoint[][] = [];
  for (let index = 0; index + 1 < points.length; index++) {
    const cut = clipSegment(points[index]!, points[index + 1]!, low, high);
    if (cut === undefined) continue;
    const [from, to] = cut;
    const last = parts.at(-1)?.at(-1);
    if (last && last[0] === from[0] && last[1] === from[1]) parts.at(-1)!.push(to);
    else parts.push([from, to]);
  }
  return parts;
}

function clipSegment(a: TilePoint, b: TilePoint, low: number, high: number): [TilePoint, TilePoint] | undefined {
  let [from, to] = [0, 1];
  for (const axis of [0, 1] as const) {
    const step = b[axis] - a[axis];
    for (const [p, q] of [
      [-step, a[axis] - low],
      [step, high - a[axis]],
    ] as const) {
      if (p === 0 && q < 0) return undefined;
      if (p < 0) from = Math.max(from, q / p);
      if (p > 0) to = Math.min(to, q / p);
    }
  }
  if (from > to) return undefined;
  const at = (share: number): TilePoint => [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
  return [from === 0 ? a : at(from), to === 1 ? b : at(to)];
}

/** The part of an area inside, by Sutherland and Hodgman; empty if there is none. */
export function clipArea(points: readonly TilePoint[], low: number, high: number): TilePoint[] {
  let kept = [...points];
  for (const axis of [0, 1] as const) {
    for (const [limit, isIn] of [
      [low, (value: number) => value >= low],
      [high, (value: number) => value <= high],
    ] as const) {
      const before = kept;
      kept = [];
      before.forEach((point, index) => {
        const last = before[(index + before.length - 1) % before.length]!;
        if (isIn(point[axis]) !== isIn(last[axis])) {
          const share = (limit - last[axis]) / (point[axis] - last[axis]);
          kept.push([last[0] + share * (point[0] - last[0]), last[1] + share * (point[1] - last[1])]);
        }
        if (isIn(point[axis])) kept.push(point);
      });
    }
  }
  return kept;
}
