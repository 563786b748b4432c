import { distanceM, type LatLng } from '../geo/place.ts';
import { placesOfWorld } from './basemap.ts';

export interface NearPlace {
  readonly name: string;
  readonly distanceM: number;
}

const FARTHEST_M = 60_000;

/** The nearest place of the bundled map, or undefined far from all. */
export async function nearestPlace(at: LatLng): Promise<NearPlace | undefined> {
  const narrow = Math.cos((at.lat * Math.PI) / 180);
  let best: { name: string; lat: number; lng: number } | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const { geometry, properties } of await placesOfWorld()) {
    const [lng, lat] = geometry.coordinates as [number, number];
    const away = (lat - at.lat) ** 2 + ((lng - at.lng) * narrow) ** 2;
    if (away < least) [least, best] = [away, { name: properties!.name, lat, lng }];
  }
  if (best === undefined) return undefined;
  const metres = distanceM(at, best);
  return metres > FARTHEST_M ? undefined : { name: best.name, distanceM: metres };
}
