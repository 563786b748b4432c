export interface LatLng {
  readonly lat: number;
  readonly lng: number;
}

export const isWithin = ({ lat, lng }: LatLng, [west, south, east, north]: readonly number[]): boolean =>
  lat >= south! && lat <= north! && lng >= west! && lng <= east!;

const EARTH_M = 6_371_008.8;
const rad = (degrees: number) => (degrees * Math.PI) / 180;

export function distanceM(a: LatLng, b: LatLng): number {
  const h =
    Math.sin(rad(b.lat - a.lat) / 2) ** 2 +
    Math.cos(rad(a.lat)) * Math.cos(rad(b.lat)) * Math.sin(rad(b.lng - a.lng) / 2) ** 2;
  return 2 * EARTH_M * Math.asin(Math.sqrt(Math.min(1, h)));
}

/** The destination of a movement of `metres` from `from`, in degrees clockwise from north. */
export function destination(from: LatLng, bearing: number, metres: number): LatLng {
  const [lat, way, arc] = [rad(from.lat), rad(bearing), metres / EARTH_M];
  const to = Math.asin(Math.sin(lat) * Math.cos(arc) + Math.cos(lat) * Math.sin(arc) * Math.cos(way));
  const turn = Math.atan2(Math.sin(way) * Math.sin(arc) * Math.cos(lat), Math.cos(arc) - Math.sin(lat) * Math.sin(to));
  return { lat: (to * 180) / Math.PI, lng: ((from.lng + (turn * 180) / Math.PI + 540) % 360) - 180 };
}

/** A circle on the ground as a closed ring of [lng, lat]. */
export const circleRing = (center: LatLng, radiusM: number, corners = 64): [number, number][] =>
  Array.from({ length: corners + 1 }, (_, corner) => {
    const { lat, lng } = destination(center, (corner % corners) * (360 / corners), radiusM);
    return [lng, lat];
  });
