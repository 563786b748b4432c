import { type whereaboutsOperations as contract, whereabouts } from '@trackway/contract/resources/whereabouts.ts';
import type { Call, Handlers } from '../../../calls.ts';
import type { Scope } from '../../../platform/collection.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { actsAsAdminText } from '../../admin-rights.ts';
import { EVERY_DEVICE, visibleTo, withinToken } from '../../devices/access.ts';
import { searchOf } from '../../family.ts';
import { shapeOf } from '../../schema/shape.ts';
import type { Store } from '../../schema/tables.ts';
import { STATE_FORM } from '../judge/device-state.ts';
import { trailsSearch } from './trails.ts';

/** Where all devices are that a user may see: made away from the main thread, with a few index look-ups per device. */
export function whereaboutsOperations(store: Store): Handlers<keyof typeof contract> {
  const shape = shapeOf(whereabouts);
  const admin = store.prepare<{ id: number }>(
    'whereabouts.admin',
    `SELECT "u"."id" FROM "users" "u" WHERE "u"."id" = ? AND ${actsAsAdminText('u')}`,
  );
  async function seenBy({ userId, caller }: Pick<Call, 'userId' | 'caller'>) {
    const isLimited = caller.scope?.deviceIds !== undefined;
    const isSeer = userId === caller.userId ? caller.admin : (await admin.get(userId)) !== undefined;
    const sees = !isLimited && isSeer;
    return { sees, scope: withinToken(caller, sees ? EVERY_DEVICE : visibleTo(userId)) };
  }

  return {
    async listTrails(call) {
      const { scope } = await seenBy(call);
      const search = trailsSearch(scope, call.parameters.deviceIds, call.now);
      return searchOf(store, { ...search, owner: `user:${call.caller.userId}` });
    },

    async listWhereabouts({ userId, caller }) {
      const { sees, scope } = await seenBy({ userId, caller });
      return searchOf(store, {
        sql: whereaboutsSql(store, scope, sees),
        cells: [...(sees ? [] : [userId]), ...scope.cells, userId],
        shape,
        owner: `user:${caller.userId}`,
      });
    },
  };
}

/**
 * The newest point of a device is one step in an index. Where that is a report without a location, the state knows the
 * last point with one, so no device costs more for having said much without a fix.
 */
export function whereaboutsSql(
  store: Pick<Store, 'storeKind' | 'groupOfSlot'>,
  scope: Scope,
  seesAll: boolean,
): string {
  if (store.groupOfSlot !== undefined) return spreadWhereaboutsSql(scope, seesAll);
  const { storeKind } = store;
  const newest = `(SELECT q."id" FROM "points" q WHERE q."deviceId" = d."id" ORDER BY q."timestamp" DESC, q."id" DESC LIMIT 1)`;
  const { moving, lastPointId } = STATE_SQL[storeKind];
  return `
SELECT d."deviceId", d."name", d."color", d."type", d."icon", d."tags", d."right",
  p."locationLat", p."locationLng", p."timestamp", p."speed", p."course", p."accuracy", p."locationType",
  d."batteryPct", d."lastConnection", d."moving"
FROM (
  SELECT v."id" AS "deviceId", v."name", v."color", v."type", v."tags", v."batteryPct", v."lastConnection",
    ${seesAll ? "'own'" : `CASE WHEN v."ownerId" = ? THEN 'own' ELSE h."rights" END`} AS "right",
    n."id" AS "newestId", n."locationLat" AS "newestLat",
    ${moving} AS "moving", ${lastPointId} AS "lastPointId", ${ICON_SQL[storeKind]} AS "icon"
  FROM (SELECT d.*, ${newest} AS "pointId" FROM "devices" d WHERE ${scope.sql}) v
  LEFT JOIN "points" n ON n."id" = v."pointId"
  LEFT JOIN "shares" h ON h."deviceId" = v."id" AND h."userId" = ?
  LEFT JOIN "deviceStates" s ON s."deviceId" = v."id" AND s."form" = ${STATE_FORM}
) d
LEFT JOIN "points" p ON p."id" = CASE WHEN d."newestLat" IS NULL THEN d."lastPointId" ELSE d."newestId" END
ORDER BY d."deviceId"`;
}

/** The same where several servers have the devices: all that is joined says its device, so each server answers for its own. */
const spreadWhereaboutsSql = (scope: Scope, seesAll: boolean) => `
SELECT v."id" AS "deviceId", v."name", v."color", v."type", ${ICON_SQL.postgres} AS "icon", v."tags",
  ${seesAll ? "'own'" : `CASE WHEN v."ownerId" = ? THEN 'own' ELSE h."rights" END`} AS "right",
  p."locationLat", p."locationLng", p."timestamp", p."speed", p."course", p."accuracy", p."locationType",
  v."batteryPct", v."lastConnection", ${STATE_SQL.postgres.moving} AS "moving"
FROM (SELECT d.* FROM "devices" d WHERE ${scope.sql}) v
LEFT JOIN LATERAL (SELECT q."id", q."locationLat" FROM "points" q WHERE q."deviceId" = v."id"
  ORDER BY q."timestamp" DESC, q."id" DESC LIMIT 1) n ON true
LEFT JOIN "shares" h ON h."deviceId" = v."id" AND h."userId" = ?
LEFT JOIN "deviceStates" s ON s."deviceId" = v."id" AND s."form" = ${STATE_FORM}
LEFT JOIN "points" p ON p."deviceId" = v."id"
  AND p."id" = CASE WHEN n."locationLat" IS NULL THEN ${STATE_SQL.postgres.lastPointId} ELSE n."id" END
ORDER BY v."id"`;

/** A word, and no long one: whatever else stands there is somebody's own. */
const ICON_SQL: Record<StoreKind, string> = {
  sqlite: `CASE WHEN json_type(v."meta", '$.icon') = 'text' THEN substr(json_extract(v."meta", '$.icon'), 1, 40) END`,
  postgres: `CASE WHEN jsonb_typeof(v."meta" -> 'icon') = 'string' THEN substr(v."meta" ->> 'icon', 1, 40) END`,
};

/** What the state says, read by the engine itself: the main thread need not know 10 000 states. */
const STATE_SQL: Record<StoreKind, { moving: string; lastPointId: string }> = {
  sqlite: {
    moving: `CASE WHEN json_type(s."state", '$.motion') IS NOT NULL THEN json_type(s."state", '$.motion.underway') IS NOT NULL END`,
    lastPointId: `json_extract(s."state", '$.motion.last.pointId')`,
  },
  postgres: {
    moving: `CASE WHEN s."state"::json -> 'motion' IS NOT NULL THEN (s."state"::json #> '{motion,underway}' IS NOT NULL)::int::bigint END`,
    lastPointId: `(s."state"::json #>> '{motion,last,pointId}')::bigint`,
  },
};
