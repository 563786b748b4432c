import type { Workplace } from '../../../platform/storage/work.ts';
import type { ActivityTrip } from '../../motion/activity.ts';
import { type DayTrip, daysIn, isDivided, summarize } from '../../motion/days.ts';
import { dividedTrips, touchingReader } from '../../motion/touching.ts';
import { packTrack } from '../../motion/trip-track.ts';
import type { Tables } from '../../schema/tables.ts';
import { fixesOfTrips, readCurrentTrip } from '../../tracking/api/vehicle-track.ts';
import { drivenBy, shiftReader } from '../../vehicles/read-shifts.ts';
import {
  emptyRow,
  type FleetReportRow,
  type FleetReportWanted,
  type ReportedDevice,
  type ReportKind,
} from '../report-row.ts';
import { fastestKmh } from './speeding.ts';

/** Reports of trips and stops: a few index accesses per device, and the positions of trips at the edge of the range. */

type StoredTrip = DayTrip &
  Record<'startLocationLat' | 'startLocationLng' | 'endLocationLat' | 'endLocationLng', number>;
interface StoredStop {
  readonly start: number;
  readonly end: number;
  readonly locationLat: number;
  readonly locationLng: number;
}

const SUMMED = ['start', 'end', 'distance', 'idle', 'maxSpeed'] as const;
const PLACES = ['startLocationLat', 'startLocationLng', 'endLocationLat', 'endLocationLng'] as const;

const rangeOf = ({ id: deviceId }: ReportedDevice, { from, to }: FleetReportWanted) => ({ deviceId, from, to });

export const stops: ReportKind = (workplace, wanted) => {
  const columns = ['start', 'end', 'locationLat', 'locationLng'];
  const stopsOf = touchingReader<StoredStop>(workplace, 'fleetReport.stops', 'stops', columns);
  const { from, to } = wanted;
  return async (device) =>
    (await stopsOf(rangeOf(device, wanted))).map(({ start, end, locationLat: lat, locationLng: lng }) => ({
      ...emptyRow(device),
      start,
      end,
      duration: Math.max(0, Math.min(end, to) - Math.max(start, from)) / 1000,
      startLocation: { lat, lng },
    }));
};

export const trips: ReportKind = (workplace, wanted) => drivenTrips(workplace, wanted, { withCurrent: false });

/** Trips with their drivers. */
export function drivenTrips(
  workplace: Workplace<Tables>,
  wanted: FleetReportWanted,
  { withCurrent }: { readonly withCurrent: boolean },
) {
  const tripsOf = touchingReader<StoredTrip>(workplace, 'fleetReport.trips', 'trips', [...SUMMED, ...PLACES]);
  const shiftsOf = shiftReader(workplace);
  return async (device: ReportedDevice): Promise<FleetReportRow[]> => {
    const found = await tripsOf(rangeOf(device, wanted));
    const current = withCurrent ? await readCurrentTrip(workplace, device.id) : undefined;
    if (current !== undefined && touches(current, wanted)) found.push(cellsOf(current));
    if (found.length === 0) return [];
    const end = found.reduce((last, trip) => Math.max(last, trip.end), 0);
    const shifts = await shiftsOf(device.id, found[0]!.start, end, wanted.now);
    return found.map((trip) => {
      const { driverId, driverName } = drivenBy(shifts, trip.start, trip.end);
      return { ...tripRow(device, trip), driverId, driver: driverName };
    });
  };
}

/**
 * Trips for sums, the current one included. Trips that cross midnight or the edge of the range have their tracks; the
 * highest speed of those at the edge is that of their part in the range.
 */
function summedTrips(workplace: Workplace<Tables>, wanted: FleetReportWanted) {
  const tripsOf = touchingReader<DayTrip>(workplace, 'fleetReport.sums', 'trips', SUMMED);
  const withTracks = dividedTrips(workplace);
  const fixesOf = fixesOfTrips(workplace);
  const { from, to, tz } = wanted;
  const dayAt = daysIn(tz);
  return async (device: ReportedDevice): Promise<DayTrip[]> => {
    const range = rangeOf(device, wanted);
    const all: DayTrip[] = await withTracks(await tripsOf(range), tz, range);
    const current = await readCurrentTrip(workplace, device.id);
    if (current !== undefined && touches(current, wanted)) all.push(cellsOf(current));
    const detailed: DayTrip[] = [];
    for (const trip of all) {
      const isCut = touches(trip, wanted) && (trip.start < from || trip.end > to);
      const hasNoTrack = trip.track === undefined && isDivided(trip, dayAt, wanted);
      detailed.push(isCut || hasNoTrack ? await part(trip) : trip);
    }
    return detailed;

    async function part(trip: DayTrip): Promise<DayTrip> {
      const { start, end, maxSpeed } = trip;
      const track = await fixesOf(device.id, { start, end, maxSpeedKmh: maxSpeed });
      // Its positions were deleted.
      if (track.count < 2) return trip;
      return { ...trip, track: packTrack(track, start), maxSpeed: fastestKmh(track, end, wanted) };
    }
  };
}

const touches = ({ start, end }: Pick<DayTrip, 'start' | 'end'>, { from, to }: FleetReportWanted) =>
  start < to && end > from;

const cellsOf = ({ startLocation, endLocation, ...trip }: ActivityTrip): StoredTrip => ({
  start: trip.start,
  end: trip.end,
  distance: trip.distanceM,
  idle: trip.idleMs / 1000,
  maxSpeed: trip.maxSpeedKmh,
  startLocationLat: startLocation.lat,
  startLocationLng: startLocation.lng,
  endLocationLat: endLocation.lat,
  endLocationLng: endLocation.lng,
});

export const days: ReportKind = (workplace, wanted) => {
  const tripsOf = summedTrips(workplace, wanted);
  return async (device) =>
    summarize(await tripsOf(device), wanted.tz, wanted).map((day) => ({
      ...emptyRow(device),
      ...day,
    }));
};

export const summary: ReportKind = (workplace, wanted) => {
  const tripsOf = summedTrips(workplace, wanted);
  const { from, to, tz } = wanted;
  return async (device) => {
    const found = await tripsOf(device);
    const days = summarize(found, tz, wanted);
    const within = found.filter(({ start, end }) => start < to && end > from);
    const sum = (name: 'distance' | 'duration' | 'idle') => days.reduce((total, day) => total + day[name], 0);
    return [
      {
        ...emptyRow(device),
        start: within.length === 0 ? null : Math.max(from, within[0]!.start),
        end: within.length === 0 ? null : Math.min(to, Math.max(...within.map(({ end }) => end))),
        trips: within.length,
        days: days.length,
        distance: sum('distance'),
        duration: sum('duration'),
        idle: sum('idle'),
        maxSpeed: days.reduce((most, day) => Math.max(most, day.maxSpeed), 0),
      },
    ];
  };
};

const tripRow = (device: ReportedDevice, trip: StoredTrip): FleetReportRow => ({
  ...emptyRow(device),
  start: trip.start,
  end: trip.end,
  distance: trip.distance,
  duration: (trip.end - trip.start) / 1000,
  idle: trip.idle,
  maxSpeed: trip.maxSpeed,
  startLocation: { lat: trip.startLocationLat, lng: trip.startLocationLng },
  endLocation: { lat: trip.endLocationLat, lng: trip.endLocationLng },
});
