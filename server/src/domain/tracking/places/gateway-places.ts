import type { Kysely } from 'kysely';
import type { Place } from '../../../platform/sphere.ts';
import { dialectOf } from '../../../platform/storage/dialect.ts';
import { runSql } from '../../../platform/storage/run-sql.ts';
import { accuracyM } from '../../geofences/confidence.ts';
import { overReadings } from '../../positions/over-readings.ts';
import { sightingText } from '../../positions/stored-reading.ts';
import type { TimeSpan } from '../../range.ts';
import { mayText } from '../../rights.ts';
import type { Tables } from '../../schema/tables.ts';
import { SIGHTING_MS, type Sighting } from '../evaluate/sighted-place.ts';
import { FRESH_MS } from '../state/place-due.ts';

/** Where gateways were. */

type Tx = Kysely<Tables>;

interface GatewayPlace {
  readonly place: Place;
  readonly accuracyM: number;
}

/** Where each gateway was at a time; undefined where that is unknown, or none of the tag's owner's business. */
type PlaceOfGateway = (gatewayId: number, at: number) => GatewayPlace | undefined;

/** A gateway that stood still at its last position is there for so long. */
const STANDING_MS = 86_400_000;
const MOVING_KMH = 5;
/** How well people say where a gateway is, where they do not say how well. */
const SET_M = 3;
const MOST_FIXES = 2000;

/** The gateways that the owner of the tag may see now: the place of a tag must not reveal a gateway of another user. */
async function placesOfGateways(
  tx: Tx,
  tagId: number,
  gatewayIds: readonly number[],
  span: TimeSpan,
): Promise<PlaceOfGateway> {
  const found = new Map<number, (at: number) => GatewayPlace | undefined>();
  if (gatewayIds.length === 0) return () => undefined;
  const tag = await tx.selectFrom('devices').select('ownerId').where('id', '=', tagId).executeTakeFirst();
  if (tag === undefined) return () => undefined;
  const sql = `SELECT g."id", g."meta" FROM "devices" g JOIN "users" u ON u."id" = ?
    WHERE g."id" IN (${dialectOf(tx).idList}) AND ${mayText('view', 'u."id"', 'g."id"')}`;
  const rows = await runSql<{ id: number; meta: string | null }>(tx, sql, [tag.ownerId, JSON.stringify(gatewayIds)]);
  for (const { id, meta } of rows) {
    const set = setPlaceOf(meta);
    if (set) {
      found.set(id, () => set);
      continue;
    }
    const fixes = await fixesOf(tx, id, span);
    if (fixes.length > 0) found.set(id, (at) => placeAt(fixes, at));
  }
  return (gatewayId, at) => found.get(gatewayId)?.(at);
}

/** Where people say that a gateway is: `place` in its own data. What is no place is their own affair. */
function setPlaceOf(meta: string | null): GatewayPlace | undefined {
  const place: unknown = meta === null ? undefined : (JSON.parse(meta) as { place?: unknown } | null)?.place;
  if (typeof place !== 'object' || place === null) return undefined;
  const { lat, lng, accuracy } = place as Record<string, unknown>;
  if (!isWithin(lat, 90) || !isWithin(lng, 180)) return undefined;
  const meters = typeof accuracy === 'number' && Number.isFinite(accuracy) && accuracy >= 0 ? accuracy : SET_M;
  return { place: { lat, lng }, accuracyM: meters };
}

const isWithin = (value: unknown, most: number): value is number =>
  typeof value === 'number' && Math.abs(value) <= most;

interface GatewayFix {
  readonly timestamp: number;
  readonly locationLat: number | null;
  readonly locationLng: number | null;
  readonly speed: number | null;
  readonly accuracy: number | null;
  readonly locationType: string;
}

/**
 * Its own fixes in a time, and the last one before. What was found by other gateways does not count: two devices that hear
 * each other would keep each other in place for ever.
 */
async function fixesOf(tx: Tx, deviceId: number, { from, to }: TimeSpan): Promise<GatewayFix[]> {
  const own = tx
    .selectFrom('points')
    .select(['timestamp', 'locationLat', 'locationLng', 'speed', 'accuracy', 'locationType'])
    .where('deviceId', '=', deviceId)
    .where('locationLat', 'is not', null)
    .where('locationType', '!=', 'invalid')
    .where('isLocatedByGateways', '=', 0)
    .where((when) => when.or([when('judged', 'is', null), when('judged', '!=', 'implausible')]));
  const before = await own
    .where('timestamp', '<=', from)
    .where('timestamp', '>', from - STANDING_MS)
    .orderBy('timestamp', 'desc')
    .limit(1)
    .execute();
  const within = await own
    .where('timestamp', '>', from)
    .where('timestamp', '<=', to)
    .orderBy('timestamp')
    .limit(MOST_FIXES)
    .execute();
  return [...before, ...within];
}

/** The last fix before a time, or else one right after it. It is as much less sure as the gateway may have moved since. */
function placeAt(fixes: readonly GatewayFix[], at: number): GatewayPlace | undefined {
  const before = fixes.findLast(({ timestamp }) => timestamp <= at);
  if (before !== undefined) {
    const ageMs = at - before.timestamp;
    const isMoving = (before.speed ?? 0) >= MOVING_KMH;
    if (ageMs <= (isMoving ? FRESH_MS : STANDING_MS))
      return reportedBy(before, isMoving ? ((before.speed! / 3.6) * ageMs) / 1000 : 0);
  }
  const after = fixes.find(({ timestamp }) => timestamp > at && timestamp <= at + SIGHTING_MS);
  return after && reportedBy(after, (((after.speed ?? 0) / 3.6) * (after.timestamp - at)) / 1000);
}

const reportedBy = (fix: GatewayFix, movedM: number): GatewayPlace => ({
  place: { lat: fix.locationLat!, lng: fix.locationLng! },
  accuracyM: accuracyM(fix) + movedM,
});

/** More than this in a few minutes adds nothing. */
const MOST = 5000;

interface StoredSighting {
  readonly gatewayId: number;
  readonly timestamp: number;
  readonly type: string;
  readonly value: string;
  readonly rssi: number | null;
  readonly meta: string | null;
}

/** The sightings of a tag in a range of time by gateways with a known place, in the order of time. */
export async function readSightings(tx: Kysely<Tables>, tagId: number, span: TimeSpan): Promise<Sighting[]> {
  const statement = (
    source: string,
  ) => `SELECT r."id", r."gatewayId", r."timestamp", r."type", r."value", r."rssi", r."meta" FROM ${source} r
    WHERE r."deviceId" = ? AND r."timestamp" > ? AND r."timestamp" <= ? AND ${sightingText('r')}
    ORDER BY r."timestamp", r."id" LIMIT ${MOST}`;
  const stored = await overReadings<StoredSighting>(tx, { scope: { deviceId: tagId }, span }, (source) => ({
    sql: statement(source),
    cells: [tagId, span.from, span.to],
  }));
  const gatewayIds = [...new Set(stored.map(({ gatewayId }) => gatewayId))];
  const placeOf = await placesOfGateways(tx, tagId, gatewayIds, span);
  return stored.flatMap((one) => {
    const place = placeOf(one.gatewayId, one.timestamp);
    return place ? [{ gatewayId: one.gatewayId, at: one.timestamp, ...place, ...signalOf(one) }] : [];
  });
}

const WEAKEST_DBM = -127;
const STRONGEST_DBM = 20;
/** A power below this is what the tag measures at one metre; above it, what it sends with. */
const AT_ONE_METRE_DBM = -35;
/** What is lost on the first metre. */
const FIRST_METRE_DB = 41;

/** How strong the signal was and how strong it is at one metre, or how far away the tag was measured to be. */
function signalOf({ type, value, rssi, meta }: Pick<StoredSighting, 'type' | 'value' | 'rssi' | 'meta'>) {
  const said: unknown = JSON.parse(value);
  const strength = dBm(rssi) ?? (type === 'ble_seen' ? dBm(said) : undefined);
  const power = dBm(fieldOf(said, 'power')) ?? dBm(fieldOf(meta === null ? null : JSON.parse(meta), 'txPower'));
  const isMeasured = type === 'uwb_seen' && typeof said === 'number' && said >= 0;
  return {
    rssi: strength ?? null,
    ...(power !== undefined && { powerDbm: power <= AT_ONE_METRE_DBM ? power : power - FIRST_METRE_DB }),
    ...(isMeasured && { measuredM: said / 100 }),
  };
}

const fieldOf = (of: unknown, name: string) =>
  typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined;

const dBm = (value: unknown) =>
  typeof value === 'number' && value >= WEAKEST_DBM && value <= STRONGEST_DBM && value !== 0 ? value : undefined;
