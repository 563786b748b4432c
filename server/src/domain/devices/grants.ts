import { sql } from 'kysely';
import type { Store, Tx } from '../schema/tables.ts';
import { IDS_AT_ONCE, rulesDue } from './rules-changed.ts';

/**
 * Shares follow from grants. A grant to an address waits until an account has that confirmed address; from then on it
 * belongs to the account. A user may have several grants on one device, by address and by id, of the device itself or
 * of groups it is in; the highest one counts.
 */

/** Called when a device starts or stops being shared with a user. */
export type ShareFollower = (tx: Tx, deviceId: number, userId: number, now: number) => Promise<void>;

export interface ShareFollowers {
  readonly began: readonly ShareFollower[];
  readonly ended: readonly ShareFollower[];
  /** What follows instead where very many devices start or stop being shared with a user at once. */
  readonly many?: (tx: Tx, deviceIds: readonly number[], userId: number, now: number) => Promise<void>;
}

/** Brings a user's share of a device in line with their grants. */
export const settleShare = (
  tx: Tx,
  followers: ShareFollowers,
  { deviceId, userId }: { readonly deviceId: number; readonly userId: number },
  now: number,
): Promise<void> => settleShares(tx, followers, { deviceIds: [deviceId], userId }, now);

/** More than this, and what follows is done for all devices together. */
const FEW = 100;

/** The same for many devices: in one transaction, since a right that has ended must give nothing from then on. */
export async function settleShares(
  tx: Tx,
  { began, ended, many }: ShareFollowers,
  { deviceIds, userId }: { readonly deviceIds: readonly number[]; readonly userId: number },
  now: number,
): Promise<void> {
  const changed: { readonly deviceId: number; readonly hasLess: boolean }[] = [];
  for (let start = 0; start < deviceIds.length; start += IDS_AT_ONCE)
    changed.push(...(await settleSome(tx, userId, deviceIds.slice(start, start + IDS_AT_ONCE), now)));
  if (changed.length === 0) return;
  const ids = changed.map(({ deviceId }) => deviceId);
  await rulesDue(tx, ids, now);
  if (changed.length > FEW && many !== undefined) return many(tx, ids, userId, now);
  for (const { deviceId, hasLess } of changed)
    for (const follow of hasLess ? ended : began) await follow(tx, deviceId, userId, now);
}

async function settleSome(tx: Tx, userId: number, deviceIds: readonly number[], now: number) {
  const held = await heldRights(tx, userId, deviceIds);
  const shares = await tx
    .selectFrom('shares')
    .select(['deviceId', 'rights'])
    .where('userId', '=', userId)
    .where('deviceId', 'in', [...deviceIds])
    .execute();
  const had = new Map(shares.map(({ deviceId, rights }) => [deviceId, rights]));
  const changed = deviceIds.filter((deviceId) => held.get(deviceId) !== had.get(deviceId));
  const gone = changed.filter((deviceId) => !held.has(deviceId));
  if (gone.length > 0)
    await tx.deleteFrom('shares').where('userId', '=', userId).where('deviceId', 'in', gone).execute();
  for (const rights of ['view', 'manage'] as const) {
    const given = changed.filter((deviceId) => held.get(deviceId) === rights);
    if (given.length === 0) continue;
    await tx
      .insertInto('shares')
      .values(given.map((deviceId) => ({ deviceId, userId, rights, created: now })))
      .onConflict((on) => on.columns(['deviceId', 'userId']).doUpdateSet({ rights }))
      .execute();
  }
  // A user who may only view has no triggers or forwarders on the device.
  return changed.map((deviceId) => ({ deviceId, hasLess: !held.has(deviceId) || had.get(deviceId) === 'manage' }));
}

/** Gives a user the grants that waited for their address, which is confirmed now. */
export async function claimGrants(
  tx: Tx,
  followers: ShareFollowers,
  { userId, email }: { readonly userId: number; readonly email: string },
  now: number,
): Promise<void> {
  const waiting = await tx
    .selectFrom('shareGrants as g')
    .innerJoin('devices as d', 'd.id', 'g.deviceId')
    .select(['g.id', 'g.deviceId'])
    .where('g.email', '=', email)
    .where('g.userId', 'is', null)
    .where('g.holderId', 'is', null)
    // A user who became its owner meanwhile needs no share of it.
    .where('d.ownerId', '!=', userId)
    .orderBy('g.deviceId')
    .execute();
  for (const { id, deviceId } of waiting) {
    await tx.updateTable('shareGrants').set({ holderId: userId }).where('id', '=', id).execute();
    await settleShare(tx, followers, { deviceId, userId }, now);
  }
}

const AT_ONCE = 500;

/** The same for accounts that were made without this server, by the command line or by another process meanwhile. */
export async function claimWaitingGrants(store: Store, followers: ShareFollowers, now: number): Promise<void> {
  const due = await store.query
    .selectFrom('shareGrants as g')
    .innerJoin('users as u', 'u.email', 'g.email')
    .innerJoin('devices as d', 'd.id', 'g.deviceId')
    .select(['u.id', 'u.email'])
    .distinct()
    .where('g.holderId', 'is', null)
    .where('g.userId', 'is', null)
    .where('u.emailConfirmedAt', 'is not', null)
    .whereRef('d.ownerId', '!=', 'u.id')
    .limit(AT_ONCE)
    .execute();
  for (const { id, email } of due)
    await store.transaction((tx) => claimGrants(tx, followers, { userId: id, email }, now));
}

type Held = 'view' | 'manage';

/**
 * What a user holds on each of these devices by grants: of the device itself, of a group it is in, or of a group above
 * that. Of several the highest counts.
 */
async function heldRights(tx: Tx, userId: number, deviceIds: readonly number[]): Promise<Map<number, Held>> {
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
      SELECT x."groupId", x."rights" FROM "grants" x JOIN "deviceGroups" g ON g."id" = x."groupId"
      WHERE x."holderId" = ${userId} AND g."deletedAt" IS NULL AND g."ownerId" <> ${userId}
      UNION SELECT g."id", "given"."rights" FROM "deviceGroups" g JOIN "given" ON g."parentId" = "given"."id"
      WHERE g."deletedAt" IS NULL)
    SELECT DISTINCT m."deviceId", "given"."rights" FROM "deviceGroupMembers" m JOIN "given" ON m."groupId" = "given"."id"
    WHERE m."deviceId" IN (${sql.join([...deviceIds])})`.execute(tx);
  for (const { deviceId, rights } of rows) note(deviceId, rights);
  return held;
}
