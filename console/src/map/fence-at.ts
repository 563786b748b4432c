import type { Geofence } from '../api/geofences.ts';
import { distanceM, type LatLng } from '../geo/place.ts';

type Shape = Pick<Geofence, 'id' | 'name' | 'outline' | 'center' | 'radius'>;

/** The names of the fences that a place lies in, the smallest first: "Dock 4" says more than "Harbour". */
export function fencesAt(place: LatLng, fences: readonly Shape[]): string[] {
  return fences
    .filter((fence) => fence.name && isInside(place, fence))
    .map((fence) => ({ name: fence.name!, size: sizeOf(fence) }))
    .sort((one, other) => one.size - other.size)
    .map(({ name }) => name);
}

function isInside(place: LatLng, { outline, center, radius }: Shape): boolean {
  if (outline && outline.length >= 3) return isInRing(place, outline);
  return center !== null && radius !== null && distanceM(place, center) <= radius;
}

/** Counts the edges to the east of the place. Longitudes are taken relative to it, so that the antimeridian is no edge. */
function isInRing({ lat, lng }: LatLng, ring: readonly LatLng[]): boolean {
  let inside = false;
  const east = (to: LatLng) => ((((to.lng - lng) % 360) + 540) % 360) - 180;
  for (const [at, a] of ring.entries()) {
    const b = ring[(at + 1) % ring.length]!;
    if (a.lat > lat === b.lat > lat) continue;
    const [from, to] = [east(a), east(b)];
    if (Math.abs(from - to) > 180) continue;
    if (from + ((lat - a.lat) / (b.lat - a.lat)) * (to - from) > 0) inside = !inside;
  }
  return inside;
}

function sizeOf({ outline, radius }: Shape): number {
  if (!outline || outline.length < 3) return Math.PI * (radius ?? 0) ** 2;
  const lats = outline.map(({ lat }) => lat);
  const lngs = outline.map(({ lng }) => lng);
  const corner = (lat: number, lng: number) => ({ lat, lng });
  const [south, north] = [Math.min(...lats), Math.max(...lats)];
  const [west, east] = [Math.min(...lngs), Math.max(...lngs)];
  return distanceM(corner(south, west), corner(north, west)) * distanceM(corner(south, west), corner(south, east));
}
