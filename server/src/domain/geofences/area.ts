import { EARTH_RADIUS_M, type Place, placeOf, vectorOf } from '../../platform/sphere.ts';
import {
  angleBetween,
  chordSquared,
  difference,
  directionOf,
  dot,
  perpendicularTo,
  scaled,
  sum,
  type Vector,
} from '../../platform/vector.ts';
import { capAround, crossesOddly, type Edges, edgesOf, nearestChordSquared } from './edges.ts';

/** The shape of a fence, prepared once for many checks. Plain data: it may be cached but must not be changed. */
export type Area = Circle | Polygon;

interface Circle {
  readonly kind: 'circle';
  readonly center: Vector;
  readonly radiusM: number;
  /** The straight line through the earth from the centre to the rim, in earth radii; 2 from half the globe on. */
  readonly chord: number;
}

export interface Shape {
  readonly outline?: readonly Place[] | null;
  readonly center?: Place | null;
  readonly radius?: number | null;
}

/** The outline takes precedence over the circle; undefined if the fence has no shape. */
export function areaOf({ outline, center, radius }: Shape): Area | undefined {
  if (outline && outline.length > 0) return polygonOf(outline.map(vectorOf));
  if (!center || typeof radius !== 'number' || !(radius >= 0)) return undefined;
  return { kind: 'circle', center: vectorOf(center), radiusM: radius, chord: chordOfM(radius) };
}

/** The straight line through the earth, in earth radii, between places at this distance along the ground. */
export function chordOfM(meters: number): number {
  return 2 * Math.sin(Math.min(meters / EARTH_RADIUS_M, Math.PI) / 2);
}

/**
 * Metres from a place to the nearest edge, negative inside.
 *
 * @param withinM the largest distance that matters: for an area farther away, the result may be too small, but it is
 * more than `withinM`
 */
export function signedDistanceM(area: Area, place: Place, withinM = Infinity): number {
  return signedDistanceOf(area, vectorOf(place), withinM);
}

/** The same for a place given as a vector. */
export function signedDistanceOf(area: Area, place: Vector, withinM = Infinity): number {
  if (area.kind === 'circle') return angleBetween(place, area.center) * EARTH_RADIUS_M - area.radiusM;
  if (withinM < Infinity && area.chord < 2) {
    const capM = 2 * Math.asin(area.chord / 2) * EARTH_RADIUS_M;
    const toCapM = angleBetween(place, area.center) * EARTH_RADIUS_M - capM;
    if (toCapM > withinM) return toCapM;
  }
  const chord = Math.sqrt(nearestChordSquared(area.edges, place));
  const toEdgeM = 2 * Math.asin(Math.min(1, chord / 2)) * EARTH_RADIUS_M;
  return isInside(area, place) ? -toEdgeM : toEdgeM;
}

/** The area on one side of a closed line; even-odd if the line crosses itself. */
interface Polygon {
  readonly kind: 'polygon';
  /**
   * The polygon is completely in the cap around this centre; `chord` is the line to the cap's rim, 2 = the whole globe.
   */
  readonly center: Vector;
  readonly chord: number;
  readonly edges: Edges;
  /**
   * A place off the line with a known side: the side of any other place follows from the number of crossings between
   * them.
   */
  readonly known: Known;
}

interface Known {
  readonly place: Vector;
  readonly inside: boolean;
}

/** Corners closer than this (6 µm) are merged. */
const SAME_CORNER = 1e-12;

/** Undefined if fewer than three corners differ from the next. */
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

/**
 * There is no shortest arc between opposite corners: the edge goes over the north pole, or over 0° east between the
 * poles.
 */
function withoutOpposite(corners: readonly Vector[]): Vector[] {
  return corners.flatMap((corner, i) => {
    const next = corners[(i + 1) % corners.length]!;
    if (chordSquared(corner, scaled(next, -1)) > 1e-18) return [corner];
    const toward = Math.abs(corner.z) < 0.9 ? { x: 0, y: 0, z: 1 } : { x: 1, y: 0, z: 0 };
    return [corner, directionOf(difference(toward, scaled(corner, dot(toward, corner))))!];
  });
}

/**
 * A place outside the polygon, near enough that arcs to it are short. The cap is less than half the globe, so with this
 * place outside, the inside is the smaller area.
 */
function besideCap(center: Vector, chord: number): Known {
  const angle = 1.05 * 2 * Math.asin(chord / 2);
  const aside = perpendicularTo(center);
  return { place: sum(scaled(center, Math.cos(angle)), scaled(aside, Math.sin(angle))), inside: false };
}

/**
 * For a line that spans half the globe: evenly spread places are counted to find which side is the smaller area. This
 * fails only if both are nearly half the globe, and then neither is a reasonable fence.
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

/** A range of latitudes and longitudes that contains an area: most places are excluded by comparisons. */
interface Box {
  readonly south: number;
  readonly north: number;
  readonly lng: number;
  /** Degrees of longitude on either side; 180 if a pole is within reach. */
  readonly reach: number;
}

const DEGREES = 180 / Math.PI;
/** About a metre, more than any rounding error. */
const MARGIN = 1e-5;

export function boxOf({ center, chord }: Area): Box {
  const { lat, lng } = placeOf(center);
  const angle = 2 * Math.asin(Math.min(1, chord / 2));
  const [south, north] = [lat - angle * DEGREES - MARGIN, lat + angle * DEGREES + MARGIN];
  const holdsPole = south <= -90 || north >= 90;
  const reach = holdsPole ? 180 : Math.asin(Math.min(1, Math.sin(angle) / Math.cos(lat / DEGREES))) * DEGREES + MARGIN;
  return { south, north, lng, reach };
}

export function isInBox({ south, north, lng, reach }: Box, place: Place): boolean {
  if (place.lat < south || place.lat > north) return false;
  const aside = Math.abs(place.lng - lng);
  return aside <= reach || aside >= 360 - reach;
}
