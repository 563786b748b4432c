import { angleBetween, cross, directionOf, perpendicularTo, scaled, steadyCross, sum, type Vector } from './vector.ts';

/** Degrees. */
export type Place = { lat: number; lng: number };

/** Mean radius of the earth (IUGG); the earth is treated as a sphere. */
export const EARTH_RADIUS_M = 6_371_008.8;

const RADIANS = Math.PI / 180;

export function vectorOf(place: Place): Vector {
  const lat = place.lat * RADIANS;
  const lng = place.lng * RADIANS;
  const out = Math.cos(lat);
  return { x: out * Math.cos(lng), y: out * Math.sin(lng), z: Math.sin(lat) };
}

/** The vector may have any length except zero. */
export function placeOf({ x, y, z }: Vector): Place {
  return { lat: Math.atan2(z, Math.hypot(x, y)) / RADIANS, lng: Math.atan2(y, x) / RADIANS };
}

/** Metres along the great circle. */
export function distanceM(a: Place, b: Place): number {
  const up = Math.sin(((b.lat - a.lat) * RADIANS) / 2);
  const aside = Math.sin(((b.lng - a.lng) * RADIANS) / 2);
  const half = up * up + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * aside * aside;
  // The haversine is exact for near places and needs no vectors, but it is inaccurate for nearly opposite places.
  if (half < 0.5) return 2 * Math.asin(Math.sqrt(half)) * EARTH_RADIUS_M;
  return angleBetween(vectorOf(a), vectorOf(b)) * EARTH_RADIUS_M;
}

/**
 * The distance in metres of each place from the previous one, 0 for the first: `distanceM` without an object for each.
 */
export function stepsM(lat: Float64Array, lng: Float64Array, count: number): Float64Array {
  const steps = new Float64Array(count);
  let cosBefore = count > 0 ? Math.cos(lat[0]! * RADIANS) : 0;
  for (let index = 1; index < count; index++) {
    const [latBefore, latHere, lngBefore, lngHere] = [lat[index - 1]!, lat[index]!, lng[index - 1]!, lng[index]!];
    const cosHere = Math.cos(latHere * RADIANS);
    const up = Math.sin(((latHere - latBefore) * RADIANS) / 2);
    const aside = Math.sin(((lngHere - lngBefore) * RADIANS) / 2);
    const half = up * up + cosBefore * cosHere * aside * aside;
    steps[index] =
      half < 0.5
        ? 2 * Math.asin(Math.sqrt(half)) * EARTH_RADIUS_M
        : distanceM({ lat: latBefore, lng: lngBefore }, { lat: latHere, lng: lngHere });
    cosBefore = cosHere;
  }
  return steps;
}

/** The shorter great-circle arc from one place to another; for opposite places, any of them. */
export interface Arc {
  readonly start: Vector;
  /** The unit vector 90° ahead of the start. */
  readonly ahead: Vector;
  readonly angle: number;
}

export function arcOf(a: Vector, b: Vector): Arc {
  const axis = directionOf(steadyCross(a, b));
  const ahead = axis && directionOf(cross(axis, a));
  return { start: a, ahead: ahead ?? perpendicularTo(a), angle: angleBetween(a, b) };
}

/** The vector at fraction f of the arc; 0 is its start. */
export function along(arc: Arc, f: number): Vector {
  const { start, ahead } = arc;
  const c = Math.cos(f * arc.angle);
  const s = Math.sin(f * arc.angle);
  return { x: c * start.x + s * ahead.x, y: c * start.y + s * ahead.y, z: c * start.z + s * ahead.z };
}

/** The place at fraction f of the great circle from a to b. */
export function interpolate(a: Place, b: Place, f: number): Place {
  return placeOf(along(arcOf(vectorOf(a), vectorOf(b)), f));
}

/**
 * The weighted mean of places; the first of them if they cancel out, as opposite places do. Undefined for an empty
 * list.
 */
export function meanPlace(weighted: readonly { place: Place; weight: number }[]): Place | undefined {
  let total: Vector = { x: 0, y: 0, z: 0 };
  let weights = 0;
  for (const { place, weight } of weighted) {
    total = sum(total, scaled(vectorOf(place), weight));
    weights += weight;
  }
  const cancelled = Math.hypot(total.x, total.y, total.z) <= 1e-9 * weights;
  return cancelled ? weighted[0]?.place : placeOf(total);
}
