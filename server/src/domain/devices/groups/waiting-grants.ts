import type { Kysely } from 'kysely';
import { endDependants } from '../../schema/dependants.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { ShareFollowers } from '../grants.ts';
import { settleGrant } from './group-shares.ts';

/** Gives a user the groups that were shared with their address, which is confirmed now. */
export async function claimGroupGrants(
  tx: Kysely<Tables>,
  followers: ShareFollowers,
  { userId, email }: { readonly userId: number; readonly email: string },
  now: number,
): Promise<void> {
  const waiting = await tx
    .selectFrom('deviceGroupGrants as x')
    .innerJoin('deviceGroups as g', 'g.id', 'x.groupId')
    .select(['x.id', 'x.groupId'])
    .where('x.email', '=', email)
    .where('x.holderId', 'is', null)
    .where('x.userId', 'is', null)
    .where('g.ownerId', '!=', userId)
    .orderBy('x.groupId')
    .execute();
  for (const { id, groupId } of waiting) {
    await tx.updateTable('deviceGroupGrants').set({ holderId: userId }).where('id', '=', id).execute();
    await settleGrant(tx, followers, groupId, userId, now);
  }
}

const AT_ONCE = 500;

/** The same for accounts that were made without this server, by the command line or by another process meanwhile. */
export async function claimWaitingGroupGrants(store: Store, followers: ShareFollowers, now: number): Promise<void> {
  const due = await store.query
    .selectFrom('deviceGroupGrants as x')
    .innerJoin('users as u', 'u.email', 'x.email')
    .innerJoin('deviceGroups as g', 'g.id', 'x.groupId')
    .select(['u.id', 'u.email'])
    .distinct()
    .where('x.holderId', 'is', null)
    .where('x.userId', 'is', null)
    .where('u.emailConfirmedAt', 'is not', null)
    .whereRef('g.ownerId', '!=', 'u.id')
    .limit(AT_ONCE)
    .execute();
  for (const { id, email } of due)
    await store.transaction((tx) => claimGroupGrants(tx, followers, { userId: id, email }, now));
}

/** How long a deleted group can be restored. */
const KEPT_MS = 30 * 86_400_000;

export async function forgetDeletedGroups(store: Store, now: number): Promise<void> {
  await store.transaction(async (tx) => {
    const old = tx
      .selectFrom('deviceGroups')
      .select('id')
      .where('deletedAt', '<', now - KEPT_MS);
    const ids = (await old.execute()).map(({ id }) => id);
    await endDependants(tx, 'deviceGroups', ids);
    if (ids.length > 0) await tx.deleteFrom('deviceGroups').where('id', 'in', ids).execute();
  });
}
