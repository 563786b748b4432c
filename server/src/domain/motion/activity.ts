import { interpolate, type Place, stepsM } from '../../platform/sphere.ts';
import type { IgnitionChange, Trip } from './motion.ts';
import { type TripTrack, unpackTrack } from './trip-track.ts';

/**
 * The activity of a vehicle in a time range: consecutive legs from its first fix to the end, each moving or not, with
 * the ignition on, off or unknown. Reports are sums of them. Pure.
 */

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface ActivityTrip extends Omit<Trip, 'startPointId' | 'endPointId'> {
  /**
   * Its fixes, or their packed text. Without them only the sums of the trip are known, which is sufficient if the trip
   * is within the range and nothing changed during it.
   */
  readonly track?: TripTrack | string;
}

export interface VehicleTrack {
  /** From the first fix in the range to its end. */
  readonly covered: Span;
  /** All trips that overlap the range, and the last one before, in order. */
  readonly trips: readonly ActivityTrip[];
  /** The last change before the range, and all within, in order. */
  readonly ignition: readonly IgnitionChange[];
  /** The first position of the vehicle. */
  readonly place: Place;
  /** Time until which the last trip may be assumed to continue. */
  readonly underwayUntil?: number;
}

export interface Leg {
  readonly start: number;
  readonly end: number;
  readonly isMoving: boolean;
  readonly isUnderway: boolean;
  /** Undefined while it is unknown. */
  readonly ignition: boolean | undefined;
  readonly distanceM: number;
  readonly from: Place;
  readonly to: Place;
}

export const VEHICLE_STATES = ['off', 'idle', 'movingWithIgnitionOn', 'movingWithIgnitionOff'] as const;
export type VehicleState = (typeof VEHICLE_STATES)[number];

/**
 * A moving vehicle is moving. The ignition decides whether a vehicle at rest is idle or off; if it is unknown, it is
 * idle during a trip. Towing is never reported without an ignition sensor.
 */
export function vehicleStateOf({ isMoving, isUnderway, ignition }: Leg): VehicleState {
  if (isMoving) return ignition === false ? 'movingWithIgnitionOff' : 'movingWithIgnitionOn';
  return (ignition ?? isUnderway) ? 'idle' : 'off';
}

/** The zones of a place as a number: the same for places that need no distinction. */
export type ZoneOf = (place: Place) => number;

/**
 * Fixes without a change between them share a leg.
 * @param cuts times in order where a leg ends and another begins, in addition to changes of the ignition
 * @param zoneOf if given, a leg of several fixes stays in the same zones
 */
export function legsOf(track: VehicleTrack, cuts: readonly number[] = [], zoneOf?: ZoneOf): Leg[] {
  const { covered, ignition } = track;
  const legs: Leg[] = [];
  const moments = [...ignition.map(({ at }) => at), ...cuts, covered.from, covered.to].sort((a, b) => a - b);
  let next = 0;
  let change = 0;
  for (const whole of stretchesOf(track, moments, zoneOf)) {
    const stretch = within(whole, covered.from, covered.to);
    if (stretch === undefined) continue;
    for (let start = stretch.start; start < stretch.end; ) {
      while (change < ignition.length && ignition[change]!.at <= start) change++;
      while (next < moments.length && moments[next]! <= start) next++;
      const end = Math.min(stretch.end, moments[next] ?? stretch.end);
      legs.push({ ...within(stretch, start, end)!, ignition: ignition[change - 1]?.isOn });
      start = end;
    }
  }
  return legs;
}

type Stretch = Omit<Leg, 'ignition'>;

/** Trips and the rests between them, over the whole time. */
function* stretchesOf(
  { covered, trips, place, underwayUntil }: VehicleTrack,
  moments: readonly number[],
  zoneOf?: ZoneOf,
): Generator<Stretch> {
  let start = covered.from;
  let parked = place;
  for (const trip of trips) {
    if (trip.start > start) yield pause(start, trip.start, parked);
    let at = Math.max(start, trip.start);
    const track = typeof trip.track === 'string' ? unpackTrack(trip.track, trip.start) : trip.track;
    const legs = track && track.count > 1 ? trackLegs(trip, track, { moments, zoneOf, from: at }) : sumLegs(trip);
    for (const leg of legs) {
      // If positions were deleted since, it is only known that the trip continued.
      if (leg.start > at) yield { ...pause(at, leg.start, leg.from), isUnderway: true };
      const part = within(leg, at, Number.POSITIVE_INFINITY);
      if (part === undefined) continue;
      yield part;
      at = part.end;
    }
    if (trip.end > at) yield { ...pause(at, trip.end, trip.endLocation), isUnderway: true };
    start = Math.max(start, trip.end);
    parked = trip.endLocation;
  }
  if (underwayUntil !== undefined && underwayUntil > start) {
    yield { ...pause(start, underwayUntil, parked), isUnderway: true };
    start = underwayUntil;
  }
  if (covered.to > start) yield pause(start, covered.to, parked);
}

const pause = (start: number, end: number, place: Place): Stretch => ({
  start,
  end,
  isMoving: false,
  isUnderway: false,
  distanceM: 0,
  from: place,
  to: place,
});

/** As if all of its idle time were at its end: only the sums are correct. */
function* sumLegs({ start, end, idleMs, distanceM, startLocation, endLocation }: ActivityTrip): Generator<Stretch> {
  const stopped = Math.max(start, end - idleMs);
  const base = { isUnderway: true, from: startLocation, to: endLocation };
  if (stopped > start) yield { ...base, start, end: stopped, isMoving: true, distanceM };
  if (end > stopped) yield { ...pause(stopped, end, endLocation), isUnderway: true };
}

interface Dividers {
  readonly moments: readonly number[];
  readonly zoneOf?: ZoneOf;
  /** Earlier parts are removed by the caller. */
  readonly from: number;
}

/**
 * From fix to fix, or over several of them without a change. The distances are shares of the known distance of the
 * trip.
 */
function* trackLegs(trip: ActivityTrip, track: TripTrack, { moments, zoneOf, from }: Dividers): Generator<Stretch> {
  const { count, at, lat, lng, moved } = track;
  const metres = stepsM(lat, lng, count);
  const zones = new Uint8Array(count);
  let sumM = 0;
  for (let index = 1; index < count; index++) sumM += metres[index]!;
  if (zoneOf !== undefined)
    for (let index = 0; index < count; index++) zones[index] = zoneOf({ lat: lat[index]!, lng: lng[index]! });
  const scale = sumM > 0 ? trip.distanceM / sumM : 0;
  let next = firstAfter(moments, at[0]!);
  let place: Place = { lat: lat[0]!, lng: lng[0]! };
  for (let first = 1; first < count; ) {
    const start = at[first - 1]!;
    while (next < moments.length && moments[next]! <= start) next++;
    const until = Math.min(moments[next] ?? Number.POSITIVE_INFINITY, from > start ? from : Number.POSITIVE_INFINITY);
    let last = first;
    let sum = metres[first]!;
    // A step into or out of a zone is a separate leg.
    if (zones[first] === zones[first - 1])
      for (; last + 1 < count; last++) {
        const isSame = moved[last + 1] === moved[first] && zones[last + 1] === zones[first];
        if (!isSame || at[last + 1]! > until) break;
        sum += metres[last + 1]!;
      }
    const to = { lat: lat[last]!, lng: lng[last]! };
    const isMoving = moved[first] === 1;
    yield { start, end: at[last]!, isMoving, isUnderway: true, distanceM: sum * scale, from: place, to };
    place = to;
    first = last + 1;
  }
}

/** The index of the first moment after another; moments are in order. */
export function firstAfter(moments: readonly number[], at: number): number {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moments[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The part of a stretch within a range, with its share of the distance. */
function within(stretch: Stretch, from: number, to: number): Stretch | undefined {
  const start = Math.max(stretch.start, from);
  const end = Math.min(stretch.end, to);
  if (start >= end) return undefined;
  if (start === stretch.start && end === stretch.end) return stretch;
  const lengthMs = stretch.end - stretch.start;
  return {
    ...stretch,
    start,
    end,
    distanceM: (stretch.distanceM * (end - start)) / lengthMs,
    from: placeAlong(stretch, (start - stretch.start) / lengthMs),
    to: placeAlong(stretch, (end - stretch.start) / lengthMs),
  };
}

function placeAlong({ from, to }: Stretch, share: number): Place {
  if (from === to || share === 0) return from;
  return share === 1 ? to : interpolate(from, to, share);
}
