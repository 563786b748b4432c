import {
  type whereaboutsOperations as contract,
  FLEET_TRAIL_MINUTES,
  FLEET_TRAIL_STEP_S,
  trailPoint,
  whereabouts,
} from '@trackway/contract/resources/whereabouts.ts';
import type { Call, Handlers } from '../../../calls.ts';
import type { Scope } from '../../../platform/collection.ts';
import type { ByDatabase } from '../../../platform/storage/dialect.ts';
import { EVERY_DEVICE, visibleTo, withinToken } from '../../devices/access.ts';
import { searchOf } from '../../family.ts';
import { actsAsAdminText } from '../../rights.ts';
import { shapeOf } from '../../schema/shape.ts';
import type { Store } from '../../schema/tables.ts';

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
export function whereaboutsSql({ dialect }: Pick<Store, 'dialect'>, scope: Scope, seesAll: boolean): string {
  const { moving, lastPointId } = dialect.pick(STATE_SQL);
  const { newest, newestJoin } = dialect.pick(NEWEST_SQL);
  return `
SELECT v."id" AS "deviceId", v."name", w."plate", v."color", v."type", ${dialect.pick(ICON_SQL)} AS "icon", v."tags",
  ${seesAll ? "'own'" : `CASE WHEN v."ownerId" = ? THEN 'own' ELSE h."rights" END`} AS "right",
  p."locationLat", p."locationLng", p."timestamp", p."speed", p."course", p."accuracy", p."locationType",
  v."batteryPct", v."lastConnection", ${moving} AS "moving"
FROM (SELECT d.*${newest} FROM "devices" d WHERE ${scope.sql}) v
${newestJoin}
LEFT JOIN "shares" h ON h."deviceId" = v."id" AND h."userId" = ?
LEFT JOIN "vehicles" w ON w."deviceId" = v."id"
LEFT JOIN "deviceStates" s ON s."deviceId" = v."id"
LEFT JOIN "points" p ON p."deviceId" = v."id"
  AND p."id" = CASE WHEN n."locationLat" IS NULL THEN ${lastPointId} ELSE n."id" END
ORDER BY v."id"`;
}

const newestOf = (device: string) =>
  `FROM "points" q WHERE q."deviceId" = ${device}."id" ORDER BY q."timestamp" DESC, q."id" DESC LIMIT 1`;
/** SQLite has no lateral joins. */
const NEWEST_SQL: ByDatabase<{ newest: string; newestJoin: string }> = {
  sqlite: {
    newest: `, (SELECT q."id" ${newestOf('d')}) AS "pointId"`,
    newestJoin: 'LEFT JOIN "points" n ON n."id" = v."pointId"',
  },
  postgres: {
    newest: '',
    newestJoin: `LEFT JOIN LATERAL (SELECT q."id", q."locationLat" ${newestOf('v')}) n ON true`,
  },
};

/** A short text only: `meta` can contain any value. */
const ICON_SQL: ByDatabase<string> = {
  sqlite: `CASE WHEN json_type(v."meta", '$.icon') = 'text' THEN substr(json_extract(v."meta", '$.icon'), 1, 40) END`,
  postgres: `CASE WHEN jsonb_typeof(v."meta" -> 'icon') = 'string' THEN substr(v."meta" ->> 'icon', 1, 40) END`,
};

/** Values of the state, read by the database: the main thread need not parse 10 000 states. */
const STATE_SQL: ByDatabase<{ moving: string; lastPointId: string }> = {
  sqlite: {
    moving: `CASE WHEN json_type(s."state", '$.motion') IS NOT NULL THEN json_type(s."state", '$.motion.underway') IS NOT NULL END`,
    lastPointId: `json_extract(s."state", '$.motion.last.pointId')`,
  },
  postgres: {
    moving: `CASE WHEN s."state"::json -> 'motion' IS NOT NULL THEN (s."state"::json #> '{motion,underway}' IS NOT NULL)::int::bigint END`,
    lastPointId: `(s."state"::json #>> '{motion,last,pointId}')::bigint`,
  },
};

const TRAIL_MS = FLEET_TRAIL_MINUTES * 60_000;
const STEP_MS = FLEET_TRAIL_STEP_S * 1000;

/**
 * Where some devices have been in a range of time: one position for each step, so that a device that reports every
 * second costs the reader no more than others. The parameters after the scope are the beginning and the end.
 */
export const trailsSql = (scope: Scope, stepMs: number) =>
  `SELECT p."deviceId", p."locationLat", p."locationLng", p."timestamp" FROM "points" p WHERE p."id" IN (
  SELECT MAX(q."id") FROM "points" q
  WHERE q."deviceId" IN (SELECT d."id" FROM "devices" d WHERE ${scope.sql})
    AND q."timestamp" > ? AND q."timestamp" <= ? AND q."locationLat" IS NOT NULL AND q."judged" IS NULL
  GROUP BY q."deviceId", q."timestamp" / ${stepMs})
ORDER BY p."deviceId", p."timestamp", p."id"`;

/** The trails of some devices on the map. */
function trailsSearch({ sql, cells }: Scope, deviceIds: readonly number[], now: number) {
  // Numbers that were validated, so they are safe in the SQL text.
  const scope = { sql: `(${sql}) AND d."id" IN (${deviceIds.map(Number).join(', ')})`, cells };
  return {
    sql: trailsSql(scope, STEP_MS),
    cells: [...cells, now - TRAIL_MS, now],
    shape: shapeOf(trailPoint),
  };
}
