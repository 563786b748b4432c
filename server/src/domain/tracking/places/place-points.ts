import type { Kysely } from 'kysely';
import { distanceM, type Place } from '../../../platform/sphere.ts';
import type { StoredPosition } from '../../positions/packed-positions.ts';
import { changePosition, deletePositions, insertPositions, readPosition } from '../../positions/write.ts';
import type { TimeSpan } from '../../range.ts';
import type { Tables } from '../../schema/tables.ts';
import { SIGHTING_MS, type SightedPlace, sightedPlace } from '../evaluate/sighted-place.ts';
import { MINUTE_MS, PLACE_EVERY_MS } from '../state/place-due.ts';
import { readSightings } from './gateway-places.ts';

type Tx = Kysely<Tables>;

/** A tag that stays where it is gets a position this often; one that was moving more often, so that its stop shows. */
const STILL_MS = 300_000;
const SLOWED_MS = 60_000;
/** Less than this is no move, however sure a place is. */
const MOVED_M = 5;

/** What became of the positions of a tag. */
export interface PlacedPoints {
  readonly inserted: StoredPosition[];
  /** Existing positions with a changed location. */
  readonly corrected: number[];
  /** From when on what was evaluated before may be wrong. */
  lateFrom: number | null;
  /** The newest moment that was looked at, and whether it was known where the tag was. */
  until: number;
  lastSightingAt: number;
}

export const noPoints = (): PlacedPoints => ({
  inserted: [],
  corrected: [],
  lateFrom: null,
  until: Number.NEGATIVE_INFINITY,
  lastSightingAt: Number.NEGATIVE_INFINITY,
});

/** A minute to check, from a time on. */
export interface TouchedMinute {
  readonly minute: number;
  readonly changesFrom: number;
}

interface Placing {
  readonly deviceId: number;
  readonly now: number;
  readonly isMoving: boolean;
  /** Moments that were looked at before in this transaction. */
  readonly seen: Set<number>;
}

/**
 * Locates a tag again by the sightings of a minute: existing positions are corrected, and new sightings get a position.
 * The caller updates its state.
 */
export async function placeMinute(
  tx: Tx,
  { minute, changesFrom }: TouchedMinute,
  { deviceId, now, isMoving, seen }: Placing,
  into: PlacedPoints,
): Promise<void> {
  const from = minute * MINUTE_MS;
  const to = from + MINUTE_MS;
  const span = { from: from - SIGHTING_MS, to: to + SIGHTING_MS };
  const sightings = await readSightings(tx, deviceId, span);
  const own = await ownFixTimes(tx, deviceId, span);
  const stored = await sightedPoints(tx, deviceId, { from, to: to + SIGHTING_MS });
  const placeAt = (at: number) =>
    own.some((fixAt) => fixAt <= at && fixAt > at - SIGHTING_MS) ? undefined : rounded(sightedPlace(sightings, at));
  for (const point of stored) {
    if (point.timestamp < changesFrom || seen.has(point.timestamp)) continue;
    seen.add(point.timestamp);
    await correct(tx, point, placeAt(point.timestamp), into);
  }
  const sightingTimes = sightings.map(({ at }) => at);
  const known = stored.map(({ timestamp }) => timestamp);
  for (const at of newMoments(sightingTimes, known, { from, to })) {
    if (seen.has(at)) continue;
    seen.add(at);
    into.until = Math.max(into.until, at);
    const found = placeAt(at);
    if (found === undefined) continue;
    into.lastSightingAt = Math.max(into.lastSightingAt, at);
    const before = await pointBefore(tx, deviceId, at);
    if (before && isSame(before, found, at, isMoving ? SLOWED_MS : STILL_MS)) continue;
    const [id] = await insertPositions(tx, [rowOf(deviceId, at, found, now)]);
    into.inserted.push((await readPosition(tx, id!))!);
  }
}

type SightedPoint = Awaited<ReturnType<typeof sightedPoints>>[number];

const sightedPoints = (tx: Tx, deviceId: number, { from, to }: { readonly from: number; readonly to: number }) =>
  tx
    .selectFrom('points')
    .select(['id', 'timestamp', 'locationLat', 'locationLng', 'accuracy', 'locatingGateways'])
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>', from)
    .where('timestamp', '<=', to)
    .where('isLocatedByGateways', '=', 1)
    .orderBy('timestamp')
    .execute();

async function correct(
  tx: Tx,
  point: SightedPoint,
  found: SightedPlace | undefined,
  into: PlacedPoints,
): Promise<void> {
  const { id, timestamp } = point;
  const late = () => {
    into.lateFrom = Math.min(into.lateFrom ?? Number.POSITIVE_INFINITY, timestamp);
  };
  if (found === undefined) {
    await deletePositions(tx, [id]);
    late();
    return;
  }
  const cells = cellsOf(found);
  const { locationLat, locationLng, accuracy } = cells;
  const isThere = locationLat === point.locationLat && locationLng === point.locationLng && accuracy === point.accuracy;
  if (isThere && sameText(cells.locatingGateways, point.locatingGateways)) return;
  await changePosition(tx, id, cells);
  if (isThere) return;
  into.corrected.push(id);
  late();
}

/** PostgreSQL writes JSON in its own way. */
const sameText = (one: string, other: string | null) =>
  other !== null && JSON.stringify(sorted(JSON.parse(one))) === JSON.stringify(sorted(JSON.parse(other)));
const sorted = (list: readonly object[]) => list.map((one) => Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The last position before a time, from any source. */
const pointBefore = (tx: Tx, deviceId: number, at: number) =>
  tx
    .selectFrom('points')
    .select(['timestamp', 'locationLat', 'locationLng', 'accuracy', 'isLocatedByGateways'])
    .where('deviceId', '=', deviceId)
    .where('timestamp', '<', at)
    .where('locationLat', 'is not', null)
    .where('locationType', '!=', 'invalid')
    .orderBy('timestamp', 'desc')
    .limit(1)
    .executeTakeFirst();

type PointBefore = NonNullable<Awaited<ReturnType<typeof pointBefore>>>;

/** Whether a place is no news: the tag has not moved, and the place is not much more accurate. */
function isSame(before: PointBefore, { place, accuracyM }: SightedPlace, at: number, everyMs: number): boolean {
  if (before.isLocatedByGateways !== 1 || at - before.timestamp >= everyMs) return false;
  const accuracy = before.accuracy ?? 0;
  if (accuracyM < accuracy / 2) return false;
  const there: Place = { lat: before.locationLat!, lng: before.locationLng! };
  return distanceM(there, place) < Math.max(MOVED_M, Math.min(accuracy, accuracyM) / 2);
}

/** No more exact than a centimetre, so that the same sightings always give the same cells. */
function rounded(found: SightedPlace | undefined): SightedPlace | undefined {
  if (found === undefined) return undefined;
  const { place, accuracyM } = found;
  const degrees = (value: number) => Math.round(value * 1e7) / 1e7 + 0;
  const lng = degrees(place.lng);
  return {
    ...found,
    place: { lat: degrees(place.lat), lng: lng === -180 ? 180 : lng },
    accuracyM: Math.ceil(accuracyM * 10) / 10,
  };
}

/** The stored columns of a place. Its gateways explain how it was found. */
const cellsOf = ({ place, accuracyM, gateways }: SightedPlace) => ({
  locationLat: place.lat,
  locationLng: place.lng,
  accuracy: accuracyM,
  locatingGateways: JSON.stringify(
    gateways.map(({ gatewayId, at, rssi, distanceM: meters, weight }) => ({
      gatewayId,
      at,
      rssi,
      distance: Math.round(meters * 10) / 10,
      weight: Math.round(weight * 1000) / 1000,
    })),
  ),
});

const rowOf = (deviceId: number, at: number, found: SightedPlace, now: number) => ({
  deviceId,
  timestamp: at,
  created: now,
  locationType: 'gateway' as const,
  isLocatedByGateways: 1,
  judged: null,
  speed: null,
  altitude: null,
  course: null,
  batteryPct: null,
  batteryVoltage: null,
  mode: null,
  alertType: null,
  ...cellsOf(found),
});

/** When a device said itself where it was, after the beginning of a time and up to its end. */
async function ownFixTimes(tx: Kysely<Tables>, deviceId: number, { from, to }: TimeSpan): Promise<number[]> {
  const rows = await tx
    .selectFrom('points')
    .select('timestamp')
    .distinct()
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>', from)
    .where('timestamp', '<=', to)
    .where('locationLat', 'is not', null)
    .where('locationType', '!=', 'invalid')
    .where('isLocatedByGateways', '=', 0)
    .execute();
  return rows.map(({ timestamp }) => timestamp);
}

/**
 * The times where a tag gets additional positions: each sighting has one soon after it, and positions are not closer to
 * each other than necessary. Such a time is right after the last sighting that it represents.
 * @param sightingTimes when it was received, in order
 * @param known times of existing positions, in order
 * @param within only sightings in this range are used: start inclusive, end exclusive
 */
function newMoments(
  sightingTimes: readonly number[],
  known: readonly number[],
  within: { readonly from: number; readonly to: number },
): number[] {
  const moments: number[] = [];
  let covered = Number.NEGATIVE_INFINITY;
  for (const at of sightingTimes) {
    if (at < within.from || at < covered) continue;
    if (at >= within.to) break;
    const next = known.find((moment) => moment > at);
    if (next !== undefined && next <= at + PLACE_EVERY_MS) continue;
    const end = at + PLACE_EVERY_MS;
    const last = sightingTimes.findLast((other) => other < end) ?? at;
    covered = last + 1;
    moments.push(covered);
  }
  return moments;
}
