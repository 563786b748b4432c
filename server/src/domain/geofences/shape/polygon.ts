import {
  chordSquared,
  difference,
  directionOf,
  dot,
  perpendicularTo,
  scaled,
  sum,
  type Vector,
} from '../../../platform/vector.ts';
import { capAround, crossesOddly, type Edges, edgesOf, nearestChordSquared } from './edges.ts';

/** What lies on one side of a closed line, even-odd where the line crosses itself. */
export interface Polygon {
  readonly kind: 'polygon';
  /** All of it lies in the cap around this centre; `chord` leads to the cap's rim, 2 = the whole globe. */
  readonly center: Vector;
  readonly chord: number;
  readonly edges: Edges;
  /** A place off the line of which the side is known: every other is told by how often the line lies between. */
  readonly known: Known;
}

interface Known {
  readonly place: Vector;
  readonly inside: boolean;
}

/** Corners closer than this (6 µm) are one. */
const SAME_CORNER = 1e-12;

/** Undefined where less than three corners differ from the next. */
export function polygonOf(outline: readonly Vector[]): Polygon | undefined {
  const corners = withoutOpposite(withoutRepeated(outline));
  if (corners.length < 3) return undefined;
  const edges = edgesOf(corners);
  const { center, chord } = capAround(corners);
  const known = chord < 2 ? besideCap(center, chord) : knownOf(edges);
  return { kind: 'polygon', center, chord, edges, known };
}

export function isInside(polygon: Polygon, place: Vector): boolean {
  const { center, chord } = polygon;
  if (chord < 2 && chordSquared(place, center) > chord * chord) return false;
  return polygon.known.inside !== crossesOddly(polygon.edges, place, polygon.known.place);
}

function withoutRepeated(outline: readonly Vector[]): Vector[] {
  const differ = (a: Vector, b: Vector) => chordSquared(a, b) > SAME_CORNER * SAME_CORNER;
  const corners: Vector[] = [];
  for (const corner of outline) {
    const last = corners.at(-1);
    if (last === undefined || differ(corner, last)) corners.push(corner);
  }
  while (corners.length > 1 && !differ(corners.at(-1)!, corners[0]!)) corners.pop();
  return corners;
}

/** Between opposite corners there is no shortest arc: the edge goes by way of the north pole, of poles by 0° east. */
function withoutOpposite(corners: readonly Vector[]): Vector[] {
  return corners.flatMap((corner, i) => {
    const next = corners[(i + 1) % corners.length]!;
    if (chordSquared(corner, scaled(next, -1)) > 1e-18) return [corner];
    const toward = Math.abs(corner.z) < 0.9 ? { x: 0, y: 0, z: 1 } : { x: 1, y: 0, z: 0 };
    return [corner, directionOf(difference(toward, scaled(corner, dot(toward, corner))))!];
  });
}

/**
 * A place outside, near enough that arcs to it are short. That it is outside makes the inside the smaller area: the
 * cap is less than half the globe.
 */
function besideCap(center: Vector, chord: number): Known {
  const angle = 1.05 * 2 * Math.asin(chord / 2);
  const aside = perpendicularTo(center);
  return { place: sum(scaled(center, Math.cos(angle)), scaled(aside, Math.sin(angle))), inside: false };
}

/**
 * For a line that spans half the globe: which side is the smaller area is counted on places spread evenly. That errs
 * only where both are nearly half the globe, and then neither is what anybody calls a fence.
 */
function knownOf(edges: Edges): Known {
  const [farthest] = spread(64)
    .map((place) => ({ place, away: nearestChordSquared(edges, place) }))
    .sort((a, b) => b.away - a.away);
  const { place } = farthest!;
  const sample = spread(4096);
  const others = sample.filter((other) => crossesOddly(edges, other, place)).length;
  return { place, inside: others > sample.length / 2 };
}

/** Places spread evenly over the globe (the Fibonacci lattice). */
function spread(count: number): Vector[] {
  const turn = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, i) => {
    const z = 1 - (2 * i + 1) / count;
    const out = Math.sqrt(1 - z * z);
    return { x: out * Math.cos(turn * i), y: out * Math.sin(turn * i), z };
  });
}
