import type { Kysely } from 'kysely';
import { distanceM, type Place } from '../../../platform/sphere.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { StoredPosition } from '../../positions/stored-position.ts';
import { changePosition, deletePositions, insertPositions, readPosition } from '../../positions/write.ts';
import type { Tables } from '../../schema/tables.ts';
import { HEARD_MS, type HeardPlace, heardPlace } from '../judge/heard-place.ts';
import { MINUTE_MS } from '../state/place-due.ts';
import { newMoments } from './moments.ts';
import { ownFixTimes } from './own-fixes.ts';
import { readHearings } from './read-hearings.ts';

type Tx = Kysely<Tables>;

/** A tag that stays where it is gets a position this often; one that was moving more often, so that its stop shows. */
const STILL_MS = 300_000;
const SLOWED_MS = 60_000;
/** Less than this is no move, however sure a place is. */
const MOVED_M = 5;

/** What became of the positions of a tag. */
export interface PlacedPoints {
  readonly inserted: StoredPosition[];
  /** Those that were there already and are elsewhere now. */
  readonly corrected: number[];
  /** From when on what was judged before may be wrong. */
  lateFrom: number | null;
  /** The newest moment that was looked at, and whether it was known where the tag was. */
  until: number;
  heardAt: number;
}

export const noPoints = (): PlacedPoints => ({
  inserted: [],
  corrected: [],
  lateFrom: null,
  until: Number.NEGATIVE_INFINITY,
  heardAt: Number.NEGATIVE_INFINITY,
});

/** A minute that is to be looked at, from a time on. */
export interface TouchedMinute {
  readonly minute: number;
  readonly since: number;
}

interface Placing {
  readonly deviceId: number;
  readonly now: number;
  readonly isMoving: boolean;
  /** Moments that were looked at before in this transaction. */
  readonly seen: Set<number>;
}

/**
 * Places a tag anew by what was heard in a minute: the positions that it has are put right, and what was heard since gets
 * one. What follows for its state is left to the caller.
 */
export async function placeMinute(
  tx: Tx,
  storeKind: StoreKind,
  { minute, since }: TouchedMinute,
  { deviceId, now, isMoving, seen }: Placing,
  into: PlacedPoints,
): Promise<void> {
  const from = minute * MINUTE_MS;
  const to = from + MINUTE_MS;
  const span = { from: from - HEARD_MS, to: to + HEARD_MS };
  const hearings = await readHearings(tx, storeKind, deviceId, span);
  const own = await ownFixTimes(tx, deviceId, span);
  const stored = await heardPoints(tx, deviceId, { from, to: to + HEARD_MS });
  const placeAt = (at: number) =>
    own.some((fixAt) => fixAt <= at && fixAt > at - HEARD_MS) ? undefined : rounded(heardPlace(hearings, at));
  for (const point of stored) {
    if (point.timestamp < since || seen.has(point.timestamp)) continue;
    seen.add(point.timestamp);
    await correct(tx, storeKind, point, placeAt(point.timestamp), into);
  }
  const heard = hearings.map(({ at }) => at);
  const known = stored.map(({ timestamp }) => timestamp);
  for (const at of newMoments(heard, known, { from, to })) {
    if (seen.has(at)) continue;
    seen.add(at);
    into.until = Math.max(into.until, at);
    const found = placeAt(at);
    if (found === undefined) continue;
    into.heardAt = Math.max(into.heardAt, at);
    const before = await pointBefore(tx, deviceId, at);
    if (before && isSame(before, found, at, isMoving ? SLOWED_MS : STILL_MS)) continue;
    const [id] = await insertPositions(tx, storeKind, [rowOf(deviceId, at, found, now)]);
    into.inserted.push((await readPosition(tx, id!))!);
  }
}

type HeardPoint = Awaited<ReturnType<typeof heardPoints>>[number];

const heardPoints = (tx: Tx, deviceId: number, { from, to }: { readonly from: number; readonly to: number }) =>
  tx
    .selectFrom('points')
    .select(['id', 'timestamp', 'locationLat', 'locationLng', 'accuracy', 'heardBy'])
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>', from)
    .where('timestamp', '<=', to)
    .where('isHeard', '=', 1)
    .orderBy('timestamp')
    .execute();

async function correct(
  tx: Tx,
  storeKind: StoreKind,
  point: HeardPoint,
  found: HeardPlace | undefined,
  into: PlacedPoints,
): Promise<void> {
  const { id, timestamp } = point;
  const late = () => {
    into.lateFrom = Math.min(into.lateFrom ?? Number.POSITIVE_INFINITY, timestamp);
  };
  if (found === undefined) {
    await deletePositions(tx, storeKind, [id]);
    late();
    return;
  }
  const cells = cellsOf(found);
  const { locationLat, locationLng, accuracy } = cells;
  const isThere = locationLat === point.locationLat && locationLng === point.locationLng && accuracy === point.accuracy;
  if (isThere && sameText(cells.heardBy, point.heardBy)) return;
  await changePosition(tx, storeKind, id, cells);
  if (isThere) return;
  into.corrected.push(id);
  late();
}

/** PostgreSQL writes JSON in its own way. */
const sameText = (one: string, other: string | null) =>
  other !== null && JSON.stringify(sorted(JSON.parse(one))) === JSON.stringify(sorted(JSON.parse(other)));
const sorted = (list: readonly object[]) => list.map((one) => Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The last position before a time, whoever found it. */
const pointBefore = (tx: Tx, deviceId: number, at: number) =>
  tx
    .selectFrom('points')
    .select(['timestamp', 'locationLat', 'locationLng', 'accuracy', 'isHeard'])
    .where('deviceId', '=', deviceId)
    .where('timestamp', '<', at)
    .where('locationLat', 'is not', null)
    .where('locationType', '!=', 'invalid')
    .orderBy('timestamp', 'desc')
    .limit(1)
    .executeTakeFirst();

type PointBefore = NonNullable<Awaited<ReturnType<typeof pointBefore>>>;

/** Whether a place says nothing new: the tag has not moved, and it is not known much better where it is. */
function isSame(before: PointBefore, { place, accuracyM }: HeardPlace, at: number, everyMs: number): boolean {
  if (before.isHeard !== 1 || at - before.timestamp >= everyMs) return false;
  const accuracy = before.accuracy ?? 0;
  if (accuracyM < accuracy / 2) return false;
  const there: Place = { lat: before.locationLat!, lng: before.locationLng! };
  return distanceM(there, place) < Math.max(MOVED_M, Math.min(accuracy, accuracyM) / 2);
}

/** No more exact than a centimetre, so that the same hearings always give the same cells. */
function rounded(found: HeardPlace | undefined): HeardPlace | undefined {
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

/** What of a place is stored; its gateways for whoever asks how it was found. */
const cellsOf = ({ place, accuracyM, gateways }: HeardPlace) => ({
  locationLat: place.lat,
  locationLng: place.lng,
  accuracy: accuracyM,
  heardBy: JSON.stringify(
    gateways.map(({ gatewayId, at, rssi, distanceM: meters, weight }) => ({
      gatewayId,
      at,
      rssi,
      distance: Math.round(meters * 10) / 10,
      weight: Math.round(weight * 1000) / 1000,
    })),
  ),
});

const rowOf = (deviceId: number, at: number, found: HeardPlace, now: number) => ({
  deviceId,
  timestamp: at,
  created: now,
  locationType: 'gateway' as const,
  isHeard: 1,
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
