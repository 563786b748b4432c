import type { ShownDevice } from '@trackway/contract/resources/link.ts';
import { distanceM, type LatLng } from '../geo/place.ts';

/** Below this distance it has arrived, given the accuracy of positions. */
const THERE_M = 100;
/** A lower speed does not predict the arrival. */
const LEAST_KMH = 5;
/** An older speed is not the current one. */
const FRESH_MS = 5 * 60_000;

export interface Arrival {
  readonly isThere: boolean;
  /** Whether distance and time are by road. Otherwise they are for a straight line at the current speed. */
  readonly isByRoad: boolean;
  readonly metres: number;
  /** Absent if it has not reported recently, and in a straight line if it stands still. */
  readonly seconds?: number;
}

/** How far the destination is, and when it is reached. */
export function arrivalAt(
  to: LatLng,
  from: LatLng & { readonly timestamp: string; readonly speed: number | null },
  now: number,
  route: ShownDevice['route'],
): Arrival {
  const straightM = distanceM(from, to);
  const isThere = straightM < THERE_M;
  const reports = !isThere && now - Date.parse(from.timestamp) < FRESH_MS;
  if (route !== null)
    return { isThere, isByRoad: true, metres: route.distance, ...(reports && { seconds: route.duration }) };
  const moves = reports && (from.speed ?? 0) >= LEAST_KMH;
  return { isThere, isByRoad: false, metres: straightM, ...(moves && { seconds: straightM / (from.speed! / 3.6) }) };
}
