import type { Place } from '../../platform/sphere.ts';
import {
  type ActivityTrip,
  type Leg,
  type Span,
  VEHICLE_STATES,
  type VehicleState,
  vehicleStateOf,
} from './activity.ts';

/** The sums of the legs of a vehicle for reports: seconds and metres. Pure. */

/** The zones and hours of work and of maintenance. */
export interface ReportZones {
  isInWork(place: Place): boolean;
  isInMaintenance(place: Place): boolean;
  /** The working hours, in order; undefined for all. */
  readonly hours?: readonly Span[];
}

interface InZones {
  total: number;
  inWork: number;
  inMaintenance: number;
}

export interface VehicleSums {
  readonly numTrips: number;
  readonly totalDist: number;
  readonly totalTime: number;
  readonly avgDist: number | null;
  readonly avgTime: number | null;
  readonly maxSpeed: number | null;
  readonly idleTime: InZones;
  readonly distances: InZones;
  readonly movingTime: InZones;
  readonly offTimes: InZones;
  readonly ignitionTime: number | null;
  readonly workTime: number;
  readonly maintenanceTime: number;
}

const nothing = (): InZones => ({ total: 0, inWork: 0, inMaintenance: 0 });

/** @param legs divided at the limits of the working hours */
export function vehicleSums(
  legs: readonly Leg[],
  trips: readonly ActivityTrip[],
  covered: Span | undefined,
  zones: ReportZones,
): VehicleSums {
  const times = { off: nothing(), idle: nothing(), moving: nothing(), all: nothing() };
  const distances = nothing();
  let underwayMs = 0;
  let ignitionMs: number | undefined;
  const shareOf = sharesOf(zones);
  for (const leg of legs) {
    const ms = leg.end - leg.start;
    const share = shareOf(leg);
    add(times.all, ms, share);
    const state = vehicleStateOf(leg);
    add(state === 'off' || state === 'idle' ? times[state] : times.moving, ms, share);
    add(distances, leg.distanceM, share);
    if (leg.isUnderway) underwayMs += ms;
    if (leg.ignition !== undefined) ignitionMs = (ignitionMs ?? 0) + (leg.ignition ? ms : 0);
  }
  const touching = covered ? trips.filter(({ start, end }) => start < covered.to && end > covered.from) : [];
  const count = touching.length;
  const totalTime = underwayMs / 1000;
  return {
    numTrips: count,
    totalDist: distances.total,
    totalTime,
    avgDist: count === 0 ? null : distances.total / count,
    avgTime: count === 0 ? null : totalTime / count,
    maxSpeed: count === 0 ? null : Math.max(...touching.map((trip) => fastestIn(trip, covered!))),
    idleTime: inSeconds(times.idle),
    distances,
    movingTime: inSeconds(times.moving),
    offTimes: inSeconds(times.off),
    ignitionTime: ignitionMs === undefined ? null : ignitionMs / 1000,
    workTime: times.all.inWork / 1000,
    maintenanceTime: times.all.inMaintenance / 1000,
  };
}

interface Share {
  readonly work: number;
  readonly maintenance: number;
}

function add(sum: InZones, amount: number, { work, maintenance }: Share): void {
  sum.total += amount;
  sum.inWork += amount * work;
  sum.inMaintenance += amount * maintenance;
}

const inSeconds = ({ total, inWork, inMaintenance }: InZones): InZones => ({
  total: total / 1000,
  inWork: inWork / 1000,
  inMaintenance: inMaintenance / 1000,
});

/** The part of a leg that is in zones: all of it, half of it if it leads in or out, or nothing. */
function sharesOf({ isInWork, isInMaintenance, hours }: ReportZones): (leg: Leg) => Share {
  // A leg begins where the previous one ended.
  const work = rememberLast(isInWork);
  const maintenance = rememberLast(isInMaintenance);
  let span = 0;
  return ({ start, from, to }) => {
    while (hours !== undefined && span < hours.length && hours[span]!.to <= start) span++;
    const isWorkTime = hours === undefined || (hours[span]?.from ?? Number.POSITIVE_INFINITY) <= start;
    return { work: isWorkTime ? work(from, to) : 0, maintenance: maintenance(from, to) };
  };
}

function rememberLast(isIn: (place: Place) => boolean): (from: Place, to: Place) => number {
  let last: Place | undefined;
  let wasIn = 0;
  const look = (place: Place) => {
    if (place !== last) {
      last = place;
      wasIn = isIn(place) ? 1 : 0;
    }
    return wasIn;
  };
  return (from, to) => (look(from) + look(to)) / 2;
}

/** For a trip that is cut by the range, only its fixes within count. */
function fastestIn({ start, end, maxSpeedKmh, track }: ActivityTrip, { from, to }: Span): number {
  const isKnown = typeof track === 'object' && track.speedKmh !== undefined;
  if (!isKnown || (start >= from && end <= to)) return maxSpeedKmh;
  let fastest = 0;
  for (let index = 0; index < track.count; index++)
    if (track.at[index]! >= from && track.at[index]! <= to) fastest = Math.max(fastest, track.speedKmh![index]!);
  return fastest;
}

interface StateSum {
  time: number;
  distance: number;
}

interface LogEntry extends StateSum {
  readonly state: VehicleState;
  /** Epoch milliseconds. */
  readonly start: number;
  end: number;
  readonly startLocation: Place;
  endLocation: Place;
}

/** The activity of a vehicle: one entry for each state, and the sums. */
export function activityOf(legs: readonly Leg[]): { sums: Record<VehicleState, StateSum>; log: LogEntry[] } {
  const log: LogEntry[] = [];
  for (const leg of legs) {
    const state = vehicleStateOf(leg);
    let entry = log.at(-1);
    if (entry?.state !== state) {
      entry = { state, start: leg.start, end: 0, time: 0, distance: 0, startLocation: leg.from, endLocation: leg.to };
      log.push(entry);
    }
    entry.end = leg.end;
    entry.time = (leg.end - entry.start) / 1000;
    entry.distance += leg.distanceM;
    entry.endLocation = leg.to;
  }
  const sums = Object.fromEntries(VEHICLE_STATES.map((state) => [state, { time: 0, distance: 0 }]));
  for (const { state, start, end, distance } of log) {
    const sum = sums[state]!;
    // In whole milliseconds, so that the sums are exact.
    sum.time += end - start;
    sum.distance += distance;
  }
  for (const sum of Object.values(sums)) sum.time /= 1000;
  return { sums: sums as Record<VehicleState, StateSum>, log };
}
