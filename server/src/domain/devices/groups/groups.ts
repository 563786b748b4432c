import { sql } from 'kysely';
import type { Scope } from '../../../platform/collection.ts';
import { childNotFound } from '../../../refusals.ts';
import type { Tx } from '../../schema/tables.ts';

/** Groups of devices are trees of one owner. What was deleted is in no tree until it is restored. */

/** At most this many levels, the topmost included. */
export const MOST_LEVELS = 8;

/** No other transaction changes the trees of this owner until this one ends, so that two moves cannot make a circle. */
export async function lockTrees(tx: Tx, ownerId: number): Promise<void> {
  await tx.selectFrom('users').select('id').where('id', '=', ownerId).forNoKeyUpdate().execute();
}

/** A group and those above it, from the bottom to the top. */
export async function withAncestors(tx: Tx, groupId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    WITH RECURSIVE "up" ("id", "parentId", "level") AS (
      SELECT "id", "parentId", 0 FROM "deviceGroups" WHERE "id" = ${groupId}
      UNION ALL SELECT g."id", g."parentId", "up"."level" + 1 FROM "deviceGroups" g JOIN "up" ON g."id" = "up"."parentId"
      WHERE "up"."level" < ${sql.lit(MOST_LEVELS)})
    SELECT "id" FROM "up" ORDER BY "level"`.execute(tx);
  return rows.map(({ id }) => id);
}

interface Subtree {
  readonly ids: readonly number[];
  readonly levels: number;
}

/** A group and those below it. With `deletedAt`, groups that were deleted at that moment. */
export async function subtreeOf(tx: Tx, groupId: number, deletedAt: number | null = null): Promise<Subtree> {
  const isThere = deletedAt === null ? sql`g."deletedAt" IS NULL` : sql`g."deletedAt" = ${deletedAt}`;
  const { rows } = await sql<{ id: number; level: number }>`
    WITH RECURSIVE "down" ("id", "level") AS (
      SELECT g."id", 1 FROM "deviceGroups" g WHERE g."id" = ${groupId} AND ${isThere}
      UNION ALL SELECT g."id", "down"."level" + 1 FROM "deviceGroups" g JOIN "down" ON g."parentId" = "down"."id"
      WHERE ${isThere} AND "down"."level" < ${sql.lit(MOST_LEVELS)})
    SELECT "id", "level" FROM "down"`.execute(tx);
  return { ids: rows.map(({ id }) => id), levels: rows.reduce((most, { level }) => Math.max(most, Number(level)), 0) };
}

/** The devices of these groups, each once, in the order of their ids. */
export async function devicesIn(tx: Tx, groupIds: readonly number[]): Promise<number[]> {
  if (groupIds.length === 0) return [];
  const rows = await tx
    .selectFrom('deviceGroupMembers')
    .select('deviceId')
    .distinct()
    .where('groupId', 'in', [...groupIds])
    .orderBy('deviceId')
    .execute();
  return rows.map(({ deviceId }) => deviceId);
}

/** Who has a right by one of these groups, however the right is called. */
export async function holdersOf(tx: Tx, groupIds: readonly number[]): Promise<number[]> {
  if (groupIds.length === 0) return [];
  const rows = await tx
    .selectFrom('grants')
    .select('holderId')
    .distinct()
    .where('groupId', 'in', [...groupIds])
    .where('holderId', 'is not', null)
    .orderBy('holderId')
    .execute();
  return rows.map(({ holderId }) => holderId!);
}

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
export async function ownGroup(on: Tx, ownerId: number, groupId: number, isDeleted = false): Promise<OwnGroup> {
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
