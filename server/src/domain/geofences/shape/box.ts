import { type Place, placeOf } from '../../../platform/sphere.ts';
import type { Area } from './area.ts';

/** A range of latitudes and longitudes with all of an area in it: most places are told to be outside by comparing. */
export interface Box {
  readonly south: number;
  readonly north: number;
  readonly lng: number;
  /** Degrees of longitude to either side; 180 where a pole is within reach. */
  readonly reach: number;
}

const DEGREES = 180 / Math.PI;
/** About a metre: no rounding is larger. */
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
