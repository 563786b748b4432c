import { distanceM, type LatLng } from '../geo/place.ts';

/** Nearer than this it is there, as far as a position can tell. */
const THERE_M = 100;
/** Slower than this says nothing of when it arrives. */
const LEAST_KMH = 5;
/** A speed that is older says nothing of now. */
const FRESH_MS = 5 * 60_000;

export interface Arrival {
  readonly isThere: boolean;
  readonly metres: number;
  /** Seconds in a straight line at its present speed; absent where it stands or was not heard lately. */
  readonly seconds?: number;
}

/** How far something is from its destination, as the crow flies. */
export function arrivalAt(
  to: LatLng,
  from: LatLng & { readonly timestamp: string; readonly speed: number | null },
  now: number,
): Arrival {
  const metres = distanceM(from, to);
  const isThere = metres < THERE_M;
  const tells = !isThere && (from.speed ?? 0) >= LEAST_KMH && now - Date.parse(from.timestamp) < FRESH_MS;
  return { isThere, metres, ...(tells && { seconds: metres / (from.speed! / 3.6) }) };
}
