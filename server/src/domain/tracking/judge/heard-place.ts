import { distanceM, meanPlace, type Place } from '../../../platform/sphere.ts';

/**
 * Where a tag is, by the gateways that heard it. Pure: the same hearings give the same place, whatever order they came in.
 */

/** A gateway heard a tag. */
export interface Hearing {
  readonly gatewayId: number;
  readonly at: number;
  /** Where the gateway was then, and how sure that is. */
  readonly place: Place;
  readonly accuracyM: number;
  /** Signal strength in dBm, where the gateway tells it. */
  readonly rssi: number | null;
  /** The strength in dBm at one metre, where the tag tells it. */
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

export interface HeardPlace {
  readonly place: Place;
  readonly accuracyM: number;
  /** Those with the most weight first. */
  readonly gateways: readonly CountedGateway[];
}

/** What was heard longer ago says nothing of where a tag is. */
export const HEARD_MS = 60_000;

/** What is assumed of a gateway that does not tell how strong a signal was. */
const UNKNOWN_DBM = -90;
/** What most tags have at one metre. */
const POWER_DBM = -59;
/** Farther than this no tag is heard. */
const MOST_M = 150;
const LEAST_M = 1;
const MOST_MEASURED_M = 1000;
const LEAST_MEASURED_M = 0.1;
/** Metres per second: how fast a hearing loses weight with its age. Tags mostly stand, or are carried with pauses. */
const DRIFT = 0.3;
/** A gateway that heard a tag this much earlier than another, and is out of its reach, heard it before it moved on. */
const MOVED_ON_MS = 10_000;
/** At most so many gateways count. */
const MOST_GATEWAYS = 50;
const BEST_M = 3;

interface Weighed extends CountedGateway {
  readonly place: Place;
}

/** @returns undefined where no gateway heard it in the minute before, nor at that time */
export function heardPlace(hearings: readonly Hearing[], at: number): HeardPlace | undefined {
  const newest = newestOfEach(hearings.filter((one) => one.at <= at && one.at > at - HEARD_MS));
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

/** One hearing counts of each gateway: the newest, and of several of one moment that of the nearest. */
function newestOfEach(hearings: readonly Hearing[]): Hearing[] {
  const newest = new Map<number, Hearing>();
  for (const one of hearings) {
    const other = newest.get(one.gatewayId);
    if (other === undefined || one.at > other.at || (one.at === other.at && isNearer(one, other)))
      newest.set(one.gatewayId, one);
  }
  return [...newest.values()].sort((a, b) => b.at - a.at || a.gatewayId - b.gatewayId);
}

/** Of those that are equally near any is as good as the other, but it is always the same one. */
function isNearer(one: Hearing, other: Hearing): boolean {
  const key = (of: Hearing) =>
    [radiusOf(of), of.accuracyM, of.rssi ?? UNKNOWN_DBM, of.place.lat, of.place.lng] as const;
  const [mine, others] = [key(one), key(other)];
  const differs = mine.findIndex((value, index) => value !== others[index]);
  return differs >= 0 && mine[differs]! < others[differs]!;
}

/** Without those that the tag has left behind, as one in a van does: they cannot hear it where the last one heard it. */
function withoutLeftBehind(newestFirst: readonly Hearing[]): readonly Hearing[] {
  const last = newestFirst[0];
  return newestFirst.filter(
    (one) =>
      last!.at - one.at <= MOVED_ON_MS ||
      distanceM(one.place, last!.place) <= 2 * MOST_M + one.accuracyM + last!.accuracyM,
  );
}

function weighed(hearing: Hearing, at: number): Weighed {
  const { gatewayId, place, accuracyM, rssi } = hearing;
  const radiusM = radiusOf(hearing);
  const driftM = (DRIFT * (at - hearing.at)) / 1000;
  const weight = 1 / (radiusM ** 2 + accuracyM ** 2 + driftM ** 2);
  return { gatewayId, at: hearing.at, rssi, distanceM: radiusM, weight, place };
}

/**
 * How far away a tag is by its signal. As in free space: walls and bodies only weaken a signal, so that it is mostly
 * nearer than that, seldom farther.
 */
function radiusOf({ rssi, powerDbm = POWER_DBM, measuredM }: Hearing): number {
  if (measuredM !== undefined) return Math.min(Math.max(measuredM, LEAST_MEASURED_M), MOST_MEASURED_M);
  const lossDb = powerDbm - (rssi ?? UNKNOWN_DBM);
  return Math.min(Math.max(10 ** (lossDb / 20), LEAST_M), MOST_M);
}
