import type { Kysely } from 'kysely';
import type { Place } from '../../../platform/sphere.ts';
import { ID_LIST } from '../../../platform/storage/id-list.ts';
import { runSql } from '../../../platform/storage/run-sql.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { TimeSpan } from '../../date-range.ts';
import { accuracyM } from '../../geofences/rule/confidence.ts';
import { mayText } from '../../rights.ts';
import type { Tables } from '../../schema/tables.ts';
import { HEARD_MS } from '../judge/heard-place.ts';
import { FRESH_MS } from '../state/place-due.ts';

/** Where gateways were. */

type Tx = Kysely<Tables>;

export interface GatewayPlace {
  readonly place: Place;
  readonly accuracyM: number;
}

/** Where each gateway was at a time; undefined where that is unknown, or none of the tag's owner's business. */
export type PlaceOfGateway = (gatewayId: number, at: number) => GatewayPlace | undefined;

/** A gateway that stood still at its last position is there for so long. */
const STANDING_MS = 86_400_000;
const MOVING_KMH = 5;
/** How well people say where a gateway is, where they do not say how well. */
const SET_M = 3;
const MOST_FIXES = 2000;

/** The gateways that the owner of the tag may see now: a gateway of somebody else is not told of by the place of a tag. */
export async function placesOfGateways(
  tx: Tx,
  storeKind: StoreKind,
  tagId: number,
  gatewayIds: readonly number[],
  span: TimeSpan,
): Promise<PlaceOfGateway> {
  const found = new Map<number, (at: number) => GatewayPlace | undefined>();
  if (gatewayIds.length === 0) return () => undefined;
  const tag = await tx.selectFrom('devices').select('ownerId').where('id', '=', tagId).executeTakeFirst();
  if (tag === undefined) return () => undefined;
  const sql = `SELECT g."id", g."meta" FROM "devices" g JOIN "users" u ON u."id" = ?
    WHERE g."id" IN (${ID_LIST[storeKind]}) AND ${mayText('view', 'u."id"', 'g."id"')}`;
  const rows = await runSql<{ id: number; meta: string | null }>(tx, storeKind, sql, [
    tag.ownerId,
    JSON.stringify(gatewayIds),
  ]);
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
export function setPlaceOf(meta: string | null): GatewayPlace | undefined {
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
    .where('isHeard', '=', 0)
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
      return toldBy(before, isMoving ? ((before.speed! / 3.6) * ageMs) / 1000 : 0);
  }
  const after = fixes.find(({ timestamp }) => timestamp > at && timestamp <= at + HEARD_MS);
  return after && toldBy(after, (((after.speed ?? 0) / 3.6) * (after.timestamp - at)) / 1000);
}

const toldBy = (fix: GatewayFix, movedM: number): GatewayPlace => ({
  place: { lat: fix.locationLat!, lng: fix.locationLng! },
  accuracyM: accuracyM(fix) + movedM,
});
