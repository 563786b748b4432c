import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isActingAdminText } from './admin-rights.ts';
import type { Tables } from './schema/tables.ts';

/**
 * The one question about rights, "may this user still see, or manage, this device?", as an expression of SQL. It is asked
 * wherever something about a device is told or sent, in the statement or transaction that does so, because a right may
 * have ended since the trigger, the forwarder or the row of the outbox was made. What needs which right: docs/rights.md.
 */
export type NeededRight = 'view' | 'manage';

/** `userId` and `deviceId` are expressions of SQL, such as the names of columns. */
export const mayText = (right: NeededRight, userId: string, deviceId: string) =>
  holdsText(right, userId, deviceId, ' AND "ofDevice"."deletedAt" IS NULL');

/** The same, but whoever had a right on a device that was deleted has it still: the device may be restored. */
export const holdsText = (right: NeededRight, userId: string, deviceId: string, more = '') => `EXISTS (
  SELECT 1 FROM "devices" "ofDevice" WHERE "ofDevice"."id" = ${deviceId}${more} AND ("ofDevice"."ownerId" = ${userId}
    OR EXISTS (SELECT 1 FROM "shares" "ofShare" WHERE "ofShare"."deviceId" = "ofDevice"."id"
      AND "ofShare"."userId" = ${userId}${right === 'manage' ? ` AND "ofShare"."rights" = 'manage'` : ''})
    OR ${isActingAdminText(userId)}))`;

/** For queries; the names of columns are spelled with their table, as `t.userId`. */
export const may = (right: NeededRight, userId: string, deviceId: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.raw(mayText(right, columnOf(userId), columnOf(deviceId)))}`;

export const holds = (right: NeededRight, userId: string, deviceId: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.raw(holdsText(right, columnOf(userId), columnOf(deviceId)))}`;

const columnOf = (name: string) => name.replaceAll(/\w+/g, '"$&"');

/** Which of these users may manage a device, in one statement. */
export async function managersAmong(
  on: Kysely<Tables>,
  deviceId: number,
  userIds: readonly number[],
): Promise<Set<number>> {
  if (userIds.length === 0) return new Set();
  const rows = await on
    .selectFrom('users as u')
    .innerJoin('devices as d', (join) => join.on('d.id', '=', deviceId))
    .select('u.id')
    .where('u.id', 'in', [...userIds])
    .where(may('manage', 'u.id', 'd.id'))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Whether a user has each of these rights now. */
export async function hasRights(
  on: Kysely<Tables>,
  userId: number,
  needed: readonly { readonly deviceId: number; readonly right: NeededRight }[],
): Promise<boolean> {
  for (const { deviceId, right } of needed) {
    const found = await on
      .selectFrom('users as u')
      .innerJoin('devices as d', (join) => join.on('d.id', '=', deviceId))
      .select('u.id')
      .where('u.id', '=', userId)
      .where(may(right, 'u.id', 'd.id'))
      .executeTakeFirst();
    if (found === undefined) return false;
  }
  return true;
}

/**
 * Those of some things whose users hold no right any more to manage the device they are for. Asked device by device: where
 * rows are spread over servers, the things are not where the devices are.
 */
export async function uncovered<Of extends { readonly userId: number; readonly deviceId: number }>(
  on: Kysely<Tables>,
  things: readonly Of[],
): Promise<Of[]> {
  const holders = new Map<number, Set<number>>();
  for (const deviceId of new Set(things.map((thing) => thing.deviceId))) {
    const userIds = new Set(things.filter((thing) => thing.deviceId === deviceId).map(({ userId }) => userId));
    const rows = await on
      .selectFrom('users as u')
      .innerJoin('devices as d', (join) => join.on('d.id', '=', deviceId))
      .select('u.id')
      .where('u.id', 'in', [...userIds])
      .where(holds('manage', 'u.id', 'd.id'))
      .execute();
    holders.set(deviceId, new Set(rows.map(({ id }) => id)));
  }
  return things.filter(({ userId, deviceId }) => !holders.get(deviceId)!.has(userId));
}

/** Whose rights ended: on one device, on all of them, or everyone's on a device. */
export interface EndedRights {
  readonly userId?: number;
  readonly deviceId?: number;
  /** Set if the user gave the device away: what they had on it ends, whatever rights they have as an admin. */
  readonly isGivenAway?: true;
}

/**
 * Called in the transaction that ends rights, after the change. Whatever ends them, what follows is the same: everything
 * that the rights which are left do not cover ends too.
 */
export type RightsEnded = (tx: Kysely<Tables>, ended: EndedRights, now: number) => Promise<void>;

/** Ends one kind of what rests on rights, and answers how many ended. */
export type EndUncovered = (tx: Kysely<Tables>, ended: EndedRights, now: number) => Promise<number>;
