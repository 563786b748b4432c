import { EARTH_RADIUS_M, type Place, vectorOf } from '../../../platform/sphere.ts';
import { angleBetween, type Vector } from '../../../platform/vector.ts';
import { nearestChordSquared } from './edges.ts';
import { isInside, type Polygon, polygonOf } from './polygon.ts';

/** The shape of a fence, prepared once for many checks. Plain data: it may be cached but must not be changed. */
export type Area = Circle | Polygon;

export interface Circle {
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

/** The straight line through the earth, in earth radii, between places this far apart along the ground. */
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
