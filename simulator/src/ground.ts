/** Locations on the earth (a sphere) and on the flat ground of a city (metres east and north of its centre). */

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

export interface Spot {
  /** Metres east of the centre. */
  readonly x: number;
  /** Metres north of the centre. */
  readonly y: number;
}

export const EARTH_RADIUS_M = 6_371_008.8;
export const RADIANS = Math.PI / 180;
const M_PER_DEGREE = EARTH_RADIUS_M * RADIANS;

/** Normalizes a longitude to −180 ≤ lng < 180. */
export const wrapped = (lng: number): number =>
  lng >= -180 && lng < 180 ? lng : ((((lng + 180) % 360) + 360) % 360) - 180;

export interface Ground {
  readonly center: Place;
  /** Metres per degree of longitude at the centre, used for the whole city: accurate to 0.1 % within 5 km. */
  readonly mPerLng: number;
}

export const groundAt = (center: Place): Ground => ({ center, mPerLng: M_PER_DEGREE * Math.cos(center.lat * RADIANS) });

export const latOf = (ground: Ground, y: number): number => ground.center.lat + y / M_PER_DEGREE;
/** Not normalized at the antimeridian, for lines on a map, which must not jump. */
export const runningLngOf = (ground: Ground, x: number): number => ground.center.lng + x / ground.mPerLng;
export const lngOf = (ground: Ground, x: number): number => wrapped(runningLngOf(ground, x));
export const placeOf = (ground: Ground, { x, y }: Spot): Place => ({ lat: latOf(ground, y), lng: lngOf(ground, x) });

export const spotOf = (ground: Ground, { lat, lng }: Place): Spot => ({
  x: wrapped(lng - ground.center.lng) * ground.mPerLng,
  y: (lat - ground.center.lat) * M_PER_DEGREE,
});

/** The course of a direction, in degrees clockwise from north. */
export const courseOf = (dx: number, dy: number): number => {
  const course = Math.atan2(dx, dy) / RADIANS;
  return course < 0 ? course + 360 : course;
};

export function distanceM(a: Place, b: Place): number {
  const [p, q] = [a.lat * RADIANS, b.lat * RADIANS];
  const h = Math.sin((q - p) / 2) ** 2 + Math.cos(p) * Math.cos(q) * Math.sin(((b.lng - a.lng) * RADIANS) / 2) ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)));
}
