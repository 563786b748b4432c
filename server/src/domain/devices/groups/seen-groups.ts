import type { Kysely } from 'kysely';
import type { Scope } from '../../../platform/collection.ts';
import { childNotFound } from '../../../refusals.ts';
import type { Tables } from '../../schema/tables.ts';

/**
 * The groups that a user sees: own ones, and those shared with the user, with all groups below them. Devices that are not
 * deleted are those with a row in `deviceKeys`, which is where groups are too if several servers have the devices.
 */
const SEEN = `(WITH RECURSIVE "seen" ("id", "level") AS (
    SELECT "id", 2 FROM "deviceGroups" WHERE "ownerId" = ? AND "deletedAt" IS NULL
    UNION SELECT x."groupId", CASE x."rights" WHEN 'manage' THEN 1 ELSE 0 END FROM "grants" x
      JOIN "deviceGroups" g ON g."id" = x."groupId" WHERE x."holderId" = ? AND g."deletedAt" IS NULL
    UNION SELECT g."id", "seen"."level" FROM "deviceGroups" g JOIN "seen" ON g."parentId" = "seen"."id"
      WHERE g."deletedAt" IS NULL)
  SELECT g."id", g."name", CASE WHEN g."parentId" IN (SELECT "id" FROM "seen") THEN g."parentId" END AS "parentId",
    g."ownerId", CASE s."level" WHEN 2 THEN 'own' WHEN 1 THEN 'manage' ELSE 'view' END AS "right",
    (SELECT COUNT(*) FROM "deviceGroupMembers" m JOIN "deviceKeys" d ON d."deviceId" = m."deviceId"
      WHERE m."groupId" = g."id") AS "deviceCount", g."created"
  FROM "deviceGroups" g JOIN (SELECT "id", MAX("level") AS "level" FROM "seen" GROUP BY "id") s ON s."id" = g."id")
  AS "deviceGroups"`;

export const groupsSeenBy = (userId: number): Scope => ({
  sql: '1 = 1',
  cells: [],
  from: { sql: SEEN, cells: [userId, userId] },
});

/** The devices in each of them. */
export const membersSeenBy = (userId: number) => ({
  sql: `SELECT m."groupId", m."deviceId" FROM "deviceGroupMembers" m JOIN ${SEEN} ON "deviceGroups"."id" = m."groupId"
  JOIN "deviceKeys" d ON d."deviceId" = m."deviceId" ORDER BY m."groupId", m."deviceId"`,
  cells: [userId, userId],
});

export interface OwnGroup {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
  readonly ownerId: number;
  readonly deletedAt: number | null;
}

/** A group of this owner, deleted or not as asked for. */
export async function ownGroup(
  on: Kysely<Tables>,
  ownerId: number,
  groupId: number,
  isDeleted = false,
): Promise<OwnGroup> {
  const group = await on
    .selectFrom('deviceGroups')
    .select(['id', 'name', 'parentId', 'ownerId', 'deletedAt'])
    .where('id', '=', groupId)
    .where('ownerId', '=', ownerId)
    .where('deletedAt', isDeleted ? 'is not' : 'is', null)
    .executeTakeFirst();
  if (group === undefined) throw childNotFound('group', groupId);
  return group;
}
