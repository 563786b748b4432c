import { type insideOperations as contract, inside } from '@trackway/contract/resources/inside.ts';
import type { Handlers } from '../../../calls.ts';
import type { ByDatabase } from '../../../platform/storage/dialect.ts';
import { childNotFound } from '../../../refusals.ts';
import { visibleTo, withinToken } from '../../devices/access.ts';
import { searchOf } from '../../family.ts';
import { shapeOf } from '../../schema/shape.ts';
import type { Store } from '../../schema/tables.ts';

/** Who is inside a fence now, as the devices' states know it. */
export function insideOperations(store: Store): Handlers<keyof typeof contract> {
  const shape = shapeOf(inside);
  return {
    async listDevicesInside({ userId, caller, key }) {
      const fence = await store.query
        .selectFrom('geofences')
        .select('deviceId')
        .where('id', '=', key)
        .where('userId', '=', userId)
        .executeTakeFirst();
      if (fence === undefined) throw childNotFound('geofence', key);
      const version = await store.query
        .selectFrom('geofenceVersions')
        .select('shapedAt')
        .where('fenceId', '=', key)
        .where('validTo', 'is', null)
        .executeTakeFirst();
      if (version === undefined) return [];
      const scope = withinToken(caller, visibleTo(userId));
      const only = fence.deviceId === null ? [] : [fence.deviceId];
      const member = store.dialect.pick(MEMBER_OF)(key);
      return searchOf(store, {
        sql: insideSql(store.dialect.pick(MEMBERSHIP_SQL), scope.sql, only.length > 0),
        cells: [member, ...scope.cells, ...only, member, member, version.shapedAt],
        shape,
        owner: `user:${caller.userId}`,
      });
    },
  };
}

/**
 * The devices are those the user may see now, whatever states still know of shares that ended; the membership is that of
 * the fence's shape now, since one of another shape says nothing about this one.
 */
function insideSql({ inside, since, shapedAt }: MembershipSql, scope: string, isForOne: boolean): string {
  return `
SELECT v."id" AS "deviceId", v."name", ${since} AS "since"
FROM (SELECT "id", "name" FROM "devices" WHERE ${scope}${isForOne ? ' AND "id" = ?' : ''}) v
JOIN "deviceStates" s ON s."deviceId" = v."id"
WHERE ${inside} AND ${shapedAt} = ?
ORDER BY 3, 1`;
}

/** The place of a fence's membership in the state, as each engine takes it. */
const MEMBER_OF: ByDatabase<(fenceId: number) => string> = {
  sqlite: (fenceId) => `$.fences."${fenceId}"`,
  postgres: (fenceId) => String(fenceId),
};

type MembershipSql = Readonly<Record<'inside' | 'since' | 'shapedAt', string>>;

const MEMBERSHIP_SQL: ByDatabase<MembershipSql> = {
  sqlite: {
    inside: `s."state" ->> (? || '.inside') = 1`,
    since: `s."state" ->> (? || '.since')`,
    shapedAt: `s."state" ->> (? || '.shapedAt')`,
  },
  postgres: {
    inside: `json_extract_path_text(s."state"::json, 'fences', ?, 'inside') = 'true'`,
    since: `json_extract_path_text(s."state"::json, 'fences', ?, 'since')::bigint`,
    shapedAt: `json_extract_path_text(s."state"::json, 'fences', ?, 'shapedAt')::bigint`,
  },
};
