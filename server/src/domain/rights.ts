import { type RawBuilder, sql } from 'kysely';
import type { Store, Tx } from './schema/tables.ts';

/** Whether an admin needs a second factor to act as one. */
export interface AdminPolicy {
  readonly needsSecondFactor: boolean;
}

export const ADMINS_AS_THEY_ARE: AdminPolicy = { needsSecondFactor: false };

/**
 * The rights of an admin, for any kind of token. An admin who needs a second factor and has none is an ordinary user
 * until then.
 */
export function adminRights(
  user: { readonly admin: number; readonly hasSecondFactor: number; readonly userKind: 'person' | 'service' },
  policy: AdminPolicy,
): { readonly admin: boolean; readonly lacksSecondFactor?: true } {
  if (user.admin === 0) return { admin: false };
  // A program cannot give a second factor. The admin who gave it the right has given theirs.
  const isSpared = user.userKind === 'service' || user.hasSecondFactor !== 0;
  if (policy.needsSecondFactor && !isSpared) return { admin: false, lacksSecondFactor: true };
  return { admin: true };
}

const POLICY = 'adminSecondFactor';
const DEMANDED = 'demanded';

/** Kept with the data, since rights are also asked for where only the database answers. */
export async function keepAdminPolicy(store: Store, { needsSecondFactor }: AdminPolicy): Promise<void> {
  const value = needsSecondFactor ? DEMANDED : 'asTheyAre';
  await store.query
    .insertInto('settings')
    .values({ name: POLICY, value })
    .onConflict((on) => on.column('name').doUpdateSet({ value }))
    .execute();
}

const IS_DEMANDED = `"ofPolicy"."name" = '${POLICY}' AND "ofPolicy"."value" = '${DEMANDED}'`;
const actsUnless = (user: string, isDemanded: string) =>
  `("${user}"."admin" = 1 AND ("${user}"."kind" = 'service' OR "${user}"."hasSecondFactor" <> 0 OR NOT ${isDemanded}))`;

/** `adminRights` as an expression of SQL, about the row of `users` of this alias. */
export const actsAsAdminText = (user: string) =>
  actsUnless(user, `EXISTS (SELECT 1 FROM "settings" "ofPolicy" WHERE ${IS_DEMANDED})`);

/**
 * The same about a user of this id, an expression of SQL. Joined, since a distributed database refuses a subquery
 * within a subquery that reads only reference tables.
 */
const isActingAdminText = (userId: string) => `EXISTS (SELECT 1 FROM "users" "ofUser"
  LEFT JOIN "settings" "ofPolicy" ON ${IS_DEMANDED}
  WHERE "ofUser"."id" = ${userId} AND ${actsUnless('ofUser', '"ofPolicy"."name" IS NOT NULL')})`;

/** The first for queries. */
export const actsAsAdmin = (user: string): RawBuilder<boolean> => sql<boolean>`${sql.raw(actsAsAdminText(user))}`;

/**
 * The one question about rights, "may this user still see, or manage, this device?", as an expression of SQL. It is
 * evaluated wherever data of a device is shown or sent, in the same statement or transaction, because a right may have
 * ended since the trigger, the forwarder or the row of the outbox was made. What needs which right: docs/use/rights.md.
 */
export type NeededRight = 'view' | 'manage';

/** `userId` and `deviceId` are expressions of SQL, such as the names of columns. */
export const mayText = (right: NeededRight, userId: string, deviceId: string) =>
  holdsText(right, userId, deviceId, ' AND "ofDevice"."deletedAt" IS NULL');

/** The same, but rights on a deleted device continue, because the device may be restored. */
export const holdsText = (right: NeededRight, userId: string, deviceId: string, more = '') => `EXISTS (
  SELECT 1 FROM "devices" "ofDevice" WHERE "ofDevice"."id" = ${deviceId}${more} AND ("ofDevice"."ownerId" = ${userId}
    OR EXISTS (SELECT 1 FROM "shares" "ofShare" WHERE "ofShare"."deviceId" = ${deviceId}
      AND "ofShare"."userId" = ${userId}${right === 'manage' ? ` AND "ofShare"."rights" = 'manage'` : ''})
    OR ${isActingAdminText(userId)}))`;

/**
 * For queries; the names of columns are spelled with their table, as `t.userId`. With the id of the device, a distributed
 * database asks one server.
 */
export const may = (right: NeededRight, userId: string, deviceId: string | number): RawBuilder<boolean> =>
  bound((device) => mayText(right, columnOf(userId), device), deviceId);

export const holds = (right: NeededRight, userId: string, deviceId: string | number): RawBuilder<boolean> =>
  bound((device) => holdsText(right, columnOf(userId), device), deviceId);

function bound(textOf: (device: string) => string, device: string | number): RawBuilder<boolean> {
  if (typeof device === 'string') return sql<boolean>`${sql.raw(textOf(columnOf(device)))}`;
  const parts = textOf('{device}').split('{device}');
  return sql<boolean>`${sql.join(
    parts.map((part) => sql.raw(part)),
    sql`${device}`,
  )}`;
}

const columnOf = (name: string) => name.replaceAll(/\w+/g, '"$&"');

/** Which of these users may manage a device, in one statement. */
export async function managersAmong(on: Tx, deviceId: number, userIds: readonly number[]): Promise<Set<number>> {
  if (userIds.length === 0) return new Set();
  const rows = await on
    .selectFrom('users as u')
    .select('u.id')
    .where('u.id', 'in', [...userIds])
    .where(may('manage', 'u.id', deviceId))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Whether a user has each of these rights now. */
export async function hasRights(
  on: Tx,
  userId: number,
  needed: readonly { readonly deviceId: number; readonly right: NeededRight }[],
): Promise<boolean> {
  for (const { deviceId, right } of needed) {
    const found = await on
      .selectFrom('users as u')
      .select('u.id')
      .where('u.id', '=', userId)
      .where(may(right, 'u.id', deviceId))
      .executeTakeFirst();
    if (found === undefined) return false;
  }
  return true;
}

/**
 * Returns the items whose users no longer have the right to manage the item's device. Evaluated device by device: in a
 * distributed database the items and the devices are on different servers.
 */
export async function uncovered<Of extends { readonly userId: number; readonly deviceId: number }>(
  on: Tx,
  things: readonly Of[],
): Promise<Of[]> {
  const holders = new Map<number, Set<number>>();
  for (const deviceId of new Set(things.map((thing) => thing.deviceId))) {
    const userIds = new Set(things.filter((thing) => thing.deviceId === deviceId).map(({ userId }) => userId));
    const rows = await on
      .selectFrom('users as u')
      .select('u.id')
      .where('u.id', 'in', [...userIds])
      .where(holds('manage', 'u.id', deviceId))
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
export type RightsEnded = (tx: Tx, ended: EndedRights, now: number) => Promise<void>;

/** Ends one kind of what rests on rights, and answers how many ended. */
export type EndUncovered = (tx: Tx, ended: EndedRights, now: number) => Promise<number>;
