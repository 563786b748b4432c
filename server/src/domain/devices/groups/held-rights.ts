import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../schema/tables.ts';

type Held = 'view' | 'manage';

/**
 * What a user holds on each of these devices by grants: of the device itself, of a group it is in, or of a group above
 * that. Of several the highest counts.
 */
export async function heldRights(
  tx: Kysely<Tables>,
  userId: number,
  deviceIds: readonly number[],
): Promise<Map<number, Held>> {
  const held = new Map<number, Held>();
  if (deviceIds.length === 0) return held;
  const note = (deviceId: number, rights: Held) => {
    if (held.get(deviceId) !== 'manage') held.set(deviceId, rights);
  };
  const direct = await tx
    .selectFrom('shareGrants')
    .select(['deviceId', 'rights'])
    .where('holderId', '=', userId)
    .where('deviceId', 'in', [...deviceIds])
    .execute();
  for (const { deviceId, rights } of direct) note(deviceId, rights);
  const { rows } = await sql<{ deviceId: number; rights: Held }>`
    WITH RECURSIVE "given" ("id", "rights") AS (
      SELECT x."groupId", x."rights" FROM "deviceGroupGrants" x JOIN "deviceGroups" g ON g."id" = x."groupId"
      WHERE x."holderId" = ${userId} AND g."deletedAt" IS NULL AND g."ownerId" <> ${userId}
      UNION SELECT g."id", "given"."rights" FROM "deviceGroups" g JOIN "given" ON g."parentId" = "given"."id"
      WHERE g."deletedAt" IS NULL)
    SELECT DISTINCT m."deviceId", "given"."rights" FROM "deviceGroupMembers" m JOIN "given" ON m."groupId" = "given"."id"
    WHERE m."deviceId" IN (${sql.join([...deviceIds])})`.execute(tx);
  for (const { deviceId, rights } of rows) note(deviceId, rights);
  return held;
}
