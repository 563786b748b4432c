import type { Workplace } from '../../../platform/storage/work.ts';
import type { Located } from '../../fix.ts';
import { accuracyM } from '../../geofences/rule/confidence.ts';
import type { ActivityTrip, Span, VehicleTrack } from '../../motion/activity.ts';
import type { IgnitionChange } from '../../motion/ignition.ts';
import { SILENT_AFTER_MS, tripSoFar } from '../../motion/motion.ts';
import { touchingCells, touchingSql } from '../../motion/touching.ts';
import type { TripRow } from '../../schema/rows/tracking-rows.ts';
import type { Tables } from '../../schema/tables.ts';
import { type DeviceState, STATE_FORM } from '../judge/device-state.ts';
import { better, type StoredPoint } from '../judge/to-fix.ts';

/**
 * Reads what a vehicle did, as the engine stored it: trips, the one that is under way, and changes of the ignition. Fixes
 * are read only of trips of which more than the sums must be known; a vehicle that stands is where its last trip ended.
 */

export interface VehicleAsked extends Span {
  readonly deviceId: number;
  readonly now: number;
}

/** Thrown where a report would read more than is good for the server. */
export class TooManyFixes extends Error {}

const MOST_FIXES = 1_000_000;

type Reading = Pick<Workplace<Tables>, 'prepare'>;
type TripCells = Pick<
  TripRow,
  | 'start'
  | 'end'
  | 'distance'
  | 'idle'
  | 'maxSpeed'
  | 'startLocationLat'
  | 'startLocationLng'
  | 'endLocationLat'
  | 'endLocationLng'
>;
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
] satisfies (keyof TripCells)[];

const FIX_COLUMNS = [
  'timestamp',
  'locationLat',
  'locationLng',
  'speed',
  'accuracy',
  'locationType',
] satisfies (keyof StoredPoint)[];
type FixCells = Pick<StoredPoint, (typeof FIX_COLUMNS)[number]>;

const listed = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');
const IS_FIX = `"judged" IS NULL AND "locationLat" IS NOT NULL AND "locationType" <> 'invalid'`;
const FIXES = `SELECT ${listed(FIX_COLUMNS)} FROM "points"
  WHERE "deviceId" = ? AND "timestamp" >= ? AND "timestamp" <= ? AND ${IS_FIX}`;
/** The fixes of many trips at once. */
const FIXES_OF_TRIPS = `SELECT t."start" AS "trip", ${FIX_COLUMNS.map((column) => `p."${column}"`).join(', ')}
  FROM "trips" t JOIN "points" p
    ON p."deviceId" = t."deviceId" AND p."timestamp" >= t."start" AND p."timestamp" <= t."end"
  WHERE t."deviceId" = ? AND t."start" >= ? AND t."start" <= ? AND ${IS_FIX}
  ORDER BY t."start", p."timestamp" LIMIT ${MOST_FIXES + 1}`;

/** @param needsAllFixes whether the fixes of every trip are needed */
export async function readTrack(
  workplace: Reading,
  { deviceId, from, to, now }: VehicleAsked,
  needsAllFixes: boolean,
): Promise<VehicleTrack | undefined> {
  const end = Math.min(to, now);
  const first = workplace.prepare<FixCells>('report.first', `${FIXES} ORDER BY "timestamp", "hash" LIMIT 1`);
  const firstFix = await first.get(deviceId, from, end);
  if (firstFix === undefined) return undefined;
  const covered = { from: firstFix.timestamp, to: end };
  const ignition = await readIgnition(workplace, deviceId, covered);
  const { trips, underwayUntil } = await readTrips(workplace, deviceId, covered);
  const wanted = trips.filter(
    (trip) => trip.end > covered.from && (needsAllFixes || needsFixes(trip, covered, ignition)),
  );
  const known = await readFixes(workplace, deviceId, wanted, needsAllFixes);
  const detailed = trips.map((trip) => {
    const rows = known.get(trip.start);
    return rows === undefined ? trip : { ...trip, fixes: fixesOf(rows) };
  });
  return { covered, trips: detailed, ignition, place: placeIn(firstFix), underwayUntil };
}

/** From this many trips on, their fixes are read in one go, and those of the trips between them too. */
const MANY_TRIPS = 20;

/** The fixes of trips by when they started. */
async function readFixes(
  workplace: Reading,
  deviceId: number,
  trips: readonly ActivityTrip[],
  areAll: boolean,
): Promise<Map<number, FixCells[]>> {
  const known = new Map<number, FixCells[]>();
  let count = 0;
  if (trips.length > 0 && (areAll || trips.length >= MANY_TRIPS)) {
    const ofTrips = workplace.prepare<FixCells & { trip: number }>('report.tripFixes', FIXES_OF_TRIPS);
    const rows = await ofTrips.all(deviceId, trips[0]!.start, trips.at(-1)!.start);
    count = rows.length;
    if (count > MOST_FIXES) throw new TooManyFixes();
    for (const row of rows) {
      const others = known.get(row.trip);
      if (others) others.push(row);
      else known.set(row.trip, [row]);
    }
  }
  // The trip that is under way is not stored yet.
  const fixes = workplace.prepare<FixCells>('report.fixes', `${FIXES} ORDER BY "timestamp" LIMIT ${MOST_FIXES + 1}`);
  for (const { start, end } of trips) {
    if (known.has(start)) continue;
    const rows = await fixes.all(deviceId, start, end);
    count += rows.length;
    if (count > MOST_FIXES) throw new TooManyFixes();
    known.set(start, rows);
  }
  return known;
}

/** A trip that the range cuts, or within which the ignition changed, is more than its sums. */
const needsFixes = ({ start, end }: ActivityTrip, { from, to }: Span, ignition: readonly IgnitionChange[]) =>
  start < from || end > to || ignition.some(({ at }) => at > start && at < end);

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
    `SELECT ${listed(TRIP_COLUMNS)} FROM "trips" WHERE "deviceId" = ? AND "start" < ? ORDER BY "start" DESC LIMIT 1`,
  );
  const touching = workplace.prepare<TripCells>('report.trips', touchingSql('trips', TRIP_COLUMNS));
  const last = await before.get(deviceId, covered.from);
  const within = await touching.all(...touchingCells({ deviceId, ...covered }));
  const rows = last !== undefined && last.end < covered.from ? [last, ...within] : within;
  const trips = rows.map(tripOf);
  const motion = (await readState(workplace, deviceId))?.motion;
  const open = motion && tripSoFar(motion);
  if (open === undefined || open.start >= covered.to) return { trips };
  trips.push(open);
  // After a longer silence the trip ended at its last fix.
  return covered.to - open.end <= SILENT_AFTER_MS ? { trips, underwayUntil: covered.to } : { trips };
}

async function readState(workplace: Reading, deviceId: number): Promise<DeviceState | undefined> {
  const row = await workplace
    .prepare<{ state: string; form: number }>(
      'report.state',
      'SELECT "state", "form" FROM "deviceStates" WHERE "deviceId" = ?',
    )
    .get(deviceId);
  return row?.form === STATE_FORM ? (JSON.parse(row.state) as DeviceState) : undefined;
}

const tripOf = (row: TripCells): ActivityTrip => ({
  start: row.start,
  end: row.end,
  distanceM: row.distance,
  idleMs: row.idle * 1000,
  maxSpeedKmh: row.maxSpeed,
  startLocation: { lat: row.startLocationLat, lng: row.startLocationLng },
  endLocation: { lat: row.endLocationLat, lng: row.endLocationLng },
});

const placeIn = ({ locationLat, locationLng }: FixCells) => ({ lat: locationLat!, lng: locationLng! });

/** Hashes are long, and hardly ever needed: what a position says tells equals apart too. */
const ranked = (row: FixCells) => ({ ...row, hash: `${row.locationLat} ${row.locationLng} ${row.speed}` });

/** One fix for each instant: the best of its positions. */
function fixesOf(rows: readonly FixCells[]): Located[] {
  const fixes: Located[] = [];
  for (let start = 0; start < rows.length; ) {
    let best = rows[start]!;
    let end = start + 1;
    for (; end < rows.length && rows[end]!.timestamp === best.timestamp; end++)
      if (better(ranked(rows[end]!), ranked(best)) < 0) best = rows[end]!;
    fixes.push({
      at: best.timestamp,
      pointId: 0,
      place: placeIn(best),
      accuracyM: accuracyM(best),
      speedKmh: best.speed ?? undefined,
      alerts: 0,
    });
    start = end;
  }
  return fixes;
}
