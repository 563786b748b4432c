import { distanceM, meanPlace, type Place } from '../../../platform/sphere.ts';

/** Locates a tag by the gateways that received it. Pure: the same sightings give the same place, in any order. */

/** A gateway received the signal of a tag. */
export interface Sighting {
  readonly gatewayId: number;
  readonly at: number;
  /** Where the gateway was then, and how sure that is. */
  readonly place: Place;
  readonly accuracyM: number;
  /** Signal strength in dBm, if the gateway reports it. */
  readonly rssi: number | null;
  /** The strength in dBm at one metre, if the tag sends it. */
  readonly powerDbm?: number;
  /** Where the distance was measured, as ultra-wideband does. */
  readonly measuredM?: number;
}

/** A gateway that counted. */
export interface CountedGateway {
  readonly gatewayId: number;
  readonly at: number;
  readonly rssi: number | null;
  /** How far away the tag was from it by the signal, or as measured. */
  readonly distanceM: number;
  /** Its part of the whole, from 0 to 1. */
  readonly weight: number;
}

export interface SightedPlace {
  readonly place: Place;
  readonly accuracyM: number;
  /** Those with the most weight first. */
  readonly gateways: readonly CountedGateway[];
}

/** Older sightings do not locate a tag. */
export const SIGHTING_MS = 60_000;

/** Assumed if a gateway does not report the signal strength. */
const UNKNOWN_DBM = -90;
/** What most tags have at one metre. */
const POWER_DBM = -59;
/** Maximum range of a tag. */
const MOST_M = 150;
const LEAST_M = 1;
const MOST_MEASURED_M = 1000;
const LEAST_MEASURED_M = 0.1;
/** Metres per second: how fast a sighting loses weight with its age. Tags usually do not move, or move with pauses. */
const DRIFT = 0.3;
/** If a gateway out of reach received a tag this much earlier than another, the tag has moved on. */
const MOVED_ON_MS = 10_000;
/** At most so many gateways count. */
const MOST_GATEWAYS = 50;
const BEST_M = 3;

interface Weighed extends CountedGateway {
  readonly place: Place;
}

/** @returns undefined if no gateway received it at that time or in the minute before */
export function sightedPlace(sightings: readonly Sighting[], at: number): SightedPlace | undefined {
  const newest = newestOfEach(sightings.filter((one) => one.at <= at && one.at > at - SIGHTING_MS));
  const counted = withoutLeftBehind(newest)
    .map((one) => weighed(one, at))
    .sort((a, b) => b.weight - a.weight || a.gatewayId - b.gatewayId)
    .slice(0, MOST_GATEWAYS);
  const place = meanPlace(counted);
  if (place === undefined) return undefined;
  const total = counted.reduce((sum, { weight }) => sum + weight, 0);
  const share = ({ weight }: Weighed) => weight / total;
  const spread = counted.reduce((sum, one) => sum + share(one) * distanceM(place, one.place) ** 2, 0);
  // Walls and bodies deceive all gateways alike, so more of them do not make it more exact than they are in the mean.
  const range = counted.length / total;
  return {
    place,
    accuracyM: Math.max(BEST_M, Math.sqrt(Math.max(spread, range))),
    gateways: counted.map((one) => ({
      gatewayId: one.gatewayId,
      at: one.at,
      rssi: one.rssi,
      distanceM: one.distanceM,
      weight: share(one),
    })),
  };
}

/** One sighting of each gateway counts: the newest, and if several have the same time, the nearest. */
function newestOfEach(sightings: readonly Sighting[]): Sighting[] {
  const newest = new Map<number, Sighting>();
  for (const one of sightings) {
    const other = newest.get(one.gatewayId);
    if (other === undefined || one.at > other.at || (one.at === other.at && isNearer(one, other)))
      newest.set(one.gatewayId, one);
  }
  return [...newest.values()].sort((a, b) => b.at - a.at || a.gatewayId - b.gatewayId);
}

/** Equally near sightings are equivalent, but the choice must be deterministic. */
function isNearer(one: Sighting, other: Sighting): boolean {
  const key = (of: Sighting) =>
    [radiusOf(of), of.accuracyM, of.rssi ?? UNKNOWN_DBM, of.place.lat, of.place.lng] as const;
  const [mine, others] = [key(one), key(other)];
  const differs = mine.findIndex((value, index) => value !== others[index]);
  return differs >= 0 && mine[differs]! < others[differs]!;
}

/**
 * Without gateways that the tag has left behind, for example in a van: they cannot receive it at the place of the last
 * sighting.
 */
function withoutLeftBehind(newestFirst: readonly Sighting[]): readonly Sighting[] {
  const last = newestFirst[0];
  return newestFirst.filter(
    (one) =>
      last!.at - one.at <= MOVED_ON_MS ||
      distanceM(one.place, last!.place) <= 2 * MOST_M + one.accuracyM + last!.accuracyM,
  );
}

function weighed(sighting: Sighting, at: number): Weighed {
  const { gatewayId, place, accuracyM, rssi } = sighting;
  const radiusM = radiusOf(sighting);
  const driftM = (DRIFT * (at - sighting.at)) / 1000;
  const weight = 1 / (radiusM ** 2 + accuracyM ** 2 + driftM ** 2);
  return { gatewayId, at: sighting.at, rssi, distanceM: radiusM, weight, place };
}

/**
 * How far away a tag is by its signal. As in free space: walls and bodies only weaken a signal, so that it is mostly
 * nearer than that, seldom farther.
 */
function radiusOf({ rssi, powerDbm = POWER_DBM, measuredM }: Sighting): number {
  if (measuredM !== undefined) return Math.min(Math.max(measuredM, LEAST_MEASURED_M), MOST_MEASURED_M);
  const lossDb = powerDbm - (rssi ?? UNKNOWN_DBM);
  return Math.min(Math.max(10 ** (lossDb / 20), LEAST_M), MOST_M);
}
