import type { Geofence } from '../api/geofences.ts';
import { distanceM, type LatLng } from '../geo/place.ts';

type Shape = Pick<Geofence, 'id' | 'name' | 'outline' | 'center' | 'radius'>;

/** The names of the fences that contain a place, smallest first: "Dock 4" is more specific than "Harbour". */
export function fencesAt(place: LatLng, fences: readonly Shape[]): string[] {
  return fences
    .filter((fence) => fence.name && isInside(place, fence))
    .map((fence) => ({ name: fence.name!, size: sizeOf(fence) }))
    .sort((one, other) => one.size - other.size)
    .map(({ name }) => name);
}

/** The smallest named fence that contains a place, or else the nearest one, with the distance to it. */
export function fenceNear<Fence extends Shape>(
  place: LatLng,
  fences: readonly Fence[],
): { readonly fence: Fence; readonly awayM: number } | undefined {
  const near = fences.flatMap((fence) => {
    const awayM = fence.name ? awayFrom(place, fence) : undefined;
    return awayM === undefined ? [] : [{ fence, awayM }];
  });
  near.sort((one, other) => one.awayM - other.awayM || sizeOf(one.fence) - sizeOf(other.fence));
  return near[0];
}

/** To the edge of a circle, or to the nearest corner of an outline. 0 inside; undefined without a shape. */
function awayFrom(place: LatLng, fence: Shape): number | undefined {
  if (isInside(place, fence)) return 0;
  const { outline, center, radius } = fence;
  if (outline && outline.length >= 3) return Math.min(...outline.map((corner) => distanceM(place, corner)));
  return center === null ? undefined : Math.max(0, distanceM(place, center) - (radius ?? 0));
}

function isInside(place: LatLng, { outline, center, radius }: Shape): boolean {
  if (outline && outline.length >= 3) return isInRing(place, outline);
  return center !== null && radius !== null && distanceM(place, center) <= radius;
}

/** Counts the edges east of the place. Longitudes are relative to it, so the antimeridian is not an edge. */
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
