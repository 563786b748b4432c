import type { Kysely } from 'kysely';
import type { Store, Tables } from '../schema/tables.ts';

/**
 * Shares follow from grants. A grant to an address waits until an account has that confirmed address; from then on it
 * belongs to the account. A user may have several grants on one device, by address and by id, of which the highest counts.
 */

/** Called when a device starts or stops being shared with a user. */
export type ShareFollower = (tx: Kysely<Tables>, deviceId: number, userId: number, now: number) => Promise<void>;

export interface ShareFollowers {
  readonly began: readonly ShareFollower[];
  readonly ended: readonly ShareFollower[];
}

/** Brings a user's share of a device in line with their grants. */
export async function settleShare(
  tx: Kysely<Tables>,
  { began, ended }: ShareFollowers,
  { deviceId, userId }: { readonly deviceId: number; readonly userId: number },
  now: number,
): Promise<void> {
  const grants = await tx
    .selectFrom('shareGrants')
    .select('rights')
    .where('deviceId', '=', deviceId)
    .where('holderId', '=', userId)
    .execute();
  const rights = grants.some((grant) => grant.rights === 'manage') ? 'manage' : grants[0]?.rights;
  const share = await tx
    .selectFrom('shares')
    .select(['id', 'rights'])
    .where('deviceId', '=', deviceId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  if (rights === share?.rights) return;
  if (rights === undefined) await tx.deleteFrom('shares').where('id', '=', share!.id).execute();
  else
    await tx
      .insertInto('shares')
      .values({ deviceId, userId, rights, created: now })
      .onConflict((on) => on.columns(['deviceId', 'userId']).doUpdateSet({ rights }))
      .execute();
  // A user who may only view has no triggers or forwarders on the device.
  const hasLess = rights === undefined || (rights === 'view' && share !== undefined);
  for (const follow of hasLess ? ended : began) await follow(tx, deviceId, userId, now);
}

/** Gives a user the grants that waited for their address, which is confirmed now. */
export async function claimGrants(
  tx: Kysely<Tables>,
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
    // Whoever got the device meanwhile needs no share of it.
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
