import type { Selectable } from 'kysely';
import type { Workplace } from '../../../platform/storage/work.ts';
import { type ActivityTrip, firstAfter, type Span, type VehicleTrack } from '../../motion/activity.ts';
import { type IgnitionChange, SILENT_AFTER_MS, tripSoFar } from '../../motion/motion.ts';
import { touchingReader } from '../../motion/touching.ts';
import { isPacked, type TripTrack, trackOf } from '../../motion/trip-track.ts';
import type { DevicePath, PlaceSince } from '../../motion/visits.ts';
import type { TripRow } from '../../schema/rows/tracking-rows.ts';
import type { Tables } from '../../schema/tables.ts';
import { type DeviceState, NO_STATE } from '../evaluate/device-state.ts';
import { fixesOf, placeIn, readFixes } from '../state/trip-fixes.ts';

/**
 * Reads what a vehicle did, as the engine stored it: trips with their tracks, the one that is under way, and changes of
 * the ignition. Positions are read only of trips that are not packed yet, or if only a part of the trip is requested; a
 * vehicle that stands is where its last trip ended.
 */

export interface VehicleAsked extends Span {
  readonly deviceId: number;
  readonly now: number;
}

/** Thrown where a report would read more than is good for the server. */
export class TooManyFixes extends Error {}

const MOST_FIXES = 1_000_000;

type Reading = Pick<Workplace<Tables>, 'prepare' | 'query'>;

const TRIP_COLUMNS = [
  'start',
  'end',
  'distance',
  'idle',
  'maxSpeed',
  'startLocationLat',
  'startLocationLng',
  'endLocationLat',
  'endLocationLng',
  'track',
] as const satisfies (keyof TripRow)[];
type TripCells = Pick<Selectable<TripRow>, (typeof TRIP_COLUMNS)[number]>;

interface TracksNeeded {
  /** Whether the track of every trip is needed. */
  readonly needsAllTracks: boolean;
  /** Times in order where sums are split: a trip that contains one of them needs its track. */
  readonly cuts?: readonly number[];
}

export async function readTrack(
  workplace: Reading,
  { deviceId, from, to, now }: VehicleAsked,
  { needsAllTracks, cuts = [] }: TracksNeeded,
): Promise<VehicleTrack | undefined> {
  const end = Math.min(to, now);
  const first = await firstKnown(workplace, { deviceId, from, to: end });
  if (first === undefined) return undefined;
  const covered = { from: first.at, to: end };
  const ignition = await readIgnition(workplace, deviceId, covered);
  const { trips, underwayUntil } = await readTrips(workplace, deviceId, covered);
  const changes = ignition.map(({ at }) => at);
  const fixesOfTrip = fixReader(workplace, deviceId);
  const detailed: ActivityTrip[] = [];
  for (const trip of trips) {
    const isCut = trip.start < covered.from || trip.end > covered.to;
    const isDivided = (moments: readonly number[]) => moments[firstAfter(moments, trip.start)]! < trip.end;
    const isNeeded = needsAllTracks || isCut || isDivided(changes) || isDivided(cuts);
    if (!isNeeded || trip.end <= covered.from) detailed.push({ ...trip, track: undefined });
    // A part of a trip has a highest speed of its own, which is not packed.
    else if (isCut || trip.track === undefined) detailed.push({ ...trip, track: await fixesOfTrip(trip) });
    else detailed.push(trip);
  }
  return { covered, trips: detailed, ignition, place: first.place, underwayUntil };
}

/** Where a vehicle was first in a range: mostly its first fix. Trips are there longer where positions are forgotten. */
async function firstKnown(
  workplace: Reading,
  { deviceId, from, to }: Span & { readonly deviceId: number },
): Promise<PlaceSince | undefined> {
  const [fix] = await readFixes(workplace.query, { deviceId, from, to, limit: 1 });
  const trip = await workplace
    .prepare<TripCells>(
      'report.firstTrip',
      `SELECT ${TRIP_COLUMNS.map((column) => `"${column}"`).join(', ')} FROM "trips" WHERE "deviceId" = ? AND "start" >= ? AND "start" < ? ORDER BY "start" LIMIT 1`,
    )
    .get(deviceId, from, fix?.timestamp ?? to);
  if (trip !== undefined) return { at: trip.start, place: tripOf(trip).startLocation };
  return fix && { at: fix.timestamp, place: placeIn(fix) };
}

/** Reads the positions of trips. */
function fixReader(
  workplace: Reading,
  deviceId: number,
  counted = { fixes: 0 },
): (trip: Pick<ActivityTrip, 'start' | 'end'>) => Promise<TripTrack> {
  return async ({ start, end }) => {
    const rows = await readFixes(workplace.query, { deviceId, from: start, to: end, limit: MOST_FIXES + 1 });
    counted.fixes += rows.length;
    if (counted.fixes > MOST_FIXES) throw new TooManyFixes();
    return trackOf(fixesOf(rows));
  };
}

type TripWithFixes = ActivityTrip & { readonly track: TripTrack };

/** Reads the trips of a range that were faster than a speed, the current one included, with the speed of each fix. */
export function tripsWithFixes(
  workplace: Reading,
): (asked: VehicleAsked, fasterThanKmh: number) => Promise<TripWithFixes[]> {
  const fixesOfTrip = fixesOfTrips(workplace);
  return async ({ deviceId, from, to }, fasterThanKmh) => {
    const { trips } = await readTrips(workplace, deviceId, { from, to });
    const found: TripWithFixes[] = [];
    for (const trip of trips)
      if (trip.maxSpeedKmh > fasterThanKmh && trip.end > from && trip.start < to)
        found.push({ ...trip, track: await fixesOfTrip(deviceId, trip) });
    return found;
  };
}

/** Reads the fixes of trips, each with its speed. No fix is faster than the trip. */
export function fixesOfTrips(workplace: Reading) {
  const counted = { fixes: 0 };
  return async (deviceId: number, trip: Pick<ActivityTrip, 'start' | 'end' | 'maxSpeedKmh'>): Promise<TripTrack> => {
    const track = await fixReader(workplace, deviceId, counted)(trip);
    return { ...track, speedKmh: track.speedKmh!.map((kmh) => Math.min(kmh, trip.maxSpeedKmh)) };
  };
}

/** Reads the trip of a device that has not ended, up to its last fix. */
export async function readCurrentTrip(workplace: Reading, deviceId: number): Promise<ActivityTrip | undefined> {
  const motion = (await readState(workplace, deviceId))?.motion;
  return motion && tripSoFar(motion);
}

/** Reads where a vehicle was in a range: what is known of it from before the range included. */
export async function readPath(workplace: Reading, asked: VehicleAsked): Promise<DevicePath> {
  const { deviceId, from, now } = asked;
  const rests = await readRests(workplace, asked);
  const track = await readTrack(workplace, asked, { needsAllTracks: true });
  if (track !== undefined) return { trips: track.trips, rests, first: { at: track.covered.from, place: track.place } };
  // Without a fix in the range, it is where it was before.
  const { trips } = await readTrips(workplace, deviceId, { from, to: Math.min(asked.to, now) });
  const fixesOfTrip = fixReader(workplace, deviceId);
  const detailed: ActivityTrip[] = [];
  for (const trip of trips)
    detailed.push({ ...trip, track: trip.end <= from ? undefined : (trip.track ?? (await fixesOfTrip(trip))) });
  return { trips: detailed, rests };
}

/** Stops, the last one before the range included, and where the vehicle stands now. */
async function readRests(workplace: Reading, { deviceId, from, to }: VehicleAsked): Promise<PlaceSince[]> {
  const columns = ['start', 'locationLat', 'locationLng'];
  const before = workplace.prepare<StopCells>(
    'report.stopBefore',
    `SELECT ${columns.map((column) => `"${column}"`).join(', ')} FROM "stops" WHERE "deviceId" = ? AND "start" < ? ORDER BY "start" DESC LIMIT 1`,
  );
  const within = await touchingReader<StopCells>(workplace, 'report.stops', 'stops', columns)({ deviceId, from, to });
  const last = await before.get(deviceId, within[0]?.start ?? to);
  const rows = last === undefined ? within : [last, ...within];
  const rests = rows.map(({ start, locationLat: lat, locationLng: lng }) => ({ at: start, place: { lat, lng } }));
  const motion = (await readState(workplace, deviceId))?.motion;
  if (motion !== undefined && motion.underway === undefined && motion.standstill.since < to)
    rests.push({ at: motion.standstill.since, place: motion.standstill.mean });
  return rests;
}

interface StopCells {
  readonly start: number;
  readonly locationLat: number;
  readonly locationLng: number;
}

async function readIgnition(workplace: Reading, deviceId: number, { from, to }: Span): Promise<IgnitionChange[]> {
  const sql = 'SELECT "at", "isOn" FROM "ignitionChanges" WHERE "deviceId" = ? AND "at" ';
  const before = workplace.prepare<IgnitionCells>(
    'report.ignitionBefore',
    `${sql} <= ? ORDER BY "at" DESC, "id" DESC LIMIT 1`,
  );
  const within = workplace.prepare<IgnitionCells>('report.ignition', `${sql} > ? AND "at" <= ? ORDER BY "at", "id"`);
  const last = await before.get(deviceId, from);
  const changes = await within.all(deviceId, from, to);
  return [...(last ? [last] : []), ...changes].map(({ at, isOn }) => ({ at, isOn: isOn !== 0 }));
}

interface IgnitionCells {
  readonly at: number;
  readonly isOn: number;
}

/** The trips that overlap a range and the last one before it, with the one that is under way. */
async function readTrips(
  workplace: Reading,
  deviceId: number,
  covered: Span,
): Promise<{ trips: ActivityTrip[]; underwayUntil?: number }> {
  const before = workplace.prepare<TripCells>(
    'report.tripBefore',
    `SELECT ${TRIP_COLUMNS.map((column) => `"${column}"`).join(', ')} FROM "trips" WHERE "deviceId" = ? AND "start" < ? ORDER BY "start" DESC LIMIT 1`,
  );
  const last = await before.get(deviceId, covered.from);
  const touching = touchingReader<TripCells>(workplace, 'report.trips', 'trips', TRIP_COLUMNS);
  const within = await touching({ deviceId, ...covered });
  const rows = last !== undefined && last.end < covered.from ? [last, ...within] : within;
  const trips: ActivityTrip[] = rows.map(tripOf);
  const open = await readCurrentTrip(workplace, deviceId);
  if (open === undefined || open.start >= covered.to) return { trips };
  trips.push(open);
  // After a longer silence the trip ended at its last fix.
  return covered.to - open.end <= SILENT_AFTER_MS ? { trips, underwayUntil: covered.to } : { trips };
}

async function readState(workplace: Reading, deviceId: number): Promise<DeviceState | undefined> {
  const row = await workplace
    .prepare<{ state: string }>('report.state', 'SELECT "state" FROM "deviceStates" WHERE "deviceId" = ?')
    .get(deviceId);
  return row === undefined || row.state === NO_STATE ? undefined : (JSON.parse(row.state) as DeviceState);
}

const tripOf = (row: TripCells): ActivityTrip => ({
  start: row.start,
  end: row.end,
  distanceM: row.distance,
  idleMs: row.idle * 1000,
  maxSpeedKmh: row.maxSpeed,
  startLocation: { lat: row.startLocationLat, lng: row.startLocationLng },
  endLocation: { lat: row.endLocationLat, lng: row.endLocationLng },
  track: row.track !== null && isPacked(row.track) ? row.track : undefined,
});
