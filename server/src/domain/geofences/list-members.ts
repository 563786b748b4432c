import { findRow } from '../rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { endUnusedInvitation } from '../users/invite.ts';
import type { SeenList } from './list-access.ts';

/** Adds and removes members of a list. A member is a user with a grant for the list. */

export async function grantToUser(tx: Tx, listId: number, userId: number, now: number): Promise<void> {
  await tx
    .insertInto('grants')
    .values({ ...OF_LIST, listId, userId, holderId: userId, created: now })
    .onConflict((on) => on.columns(['listId', 'userId']).doNothing())
    .execute();
}

const OF_LIST = { groupId: null, rights: null, userId: null, email: null, grantedBy: null };

/** Removes the grants of a member, by id and by address, and the member's fences from the list. */
export async function endMembership(tx: Tx, listId: number, userId: number): Promise<void> {
  await tx.deleteFrom('grants').where('listId', '=', listId).where('holderId', '=', userId).execute();
  await tx
    .updateTable('geofences')
    .set({ listId: null })
    .where('listId', '=', listId)
    .where('userId', '=', userId)
    .execute();
}

interface ListGrant {
  readonly listId: number;
  readonly email: string;
  readonly grantedBy: number;
}

/** Shares a list with an address: at once if an account has it, otherwise when one does. */
export async function grantToAddress(tx: Tx, { listId, email, grantedBy }: ListGrant, now: number): Promise<void> {
  const account = await tx
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('emailConfirmedAt', 'is not', null)
    .executeTakeFirst();
  await tx
    .insertInto('grants')
    .values({ ...OF_LIST, listId, email, grantedBy, holderId: account?.id ?? null, created: now })
    .execute();
}

/** Ends a grant to an address. A user who was also named by id stays a member. */
export async function endGrant(
  tx: Tx,
  { id: listId, ownerId }: Pick<SeenList, 'id' | 'ownerId'>,
  email: string,
): Promise<boolean> {
  const grant = await tx
    .deleteFrom('grants')
    .where('listId', '=', listId)
    .where('email', '=', email)
    .returning('holderId')
    .executeTakeFirst();
  if (grant === undefined) return false;
  if (grant.holderId === null) {
    await endUnusedInvitation(tx, email);
    return true;
  }
  const others = await findRow(tx, 'grants', { listId, holderId: grant.holderId }, ['id']);
  if (others === undefined && grant.holderId !== ownerId) await endMembership(tx, listId, grant.holderId);
  return true;
}

/** Makes a user a member of the lists that were shared with their newly confirmed address. */
export async function claimListGrants(
  tx: Tx,
  { userId, email }: { readonly userId: number; readonly email: string },
): Promise<void> {
  await tx
    .updateTable('grants')
    .set({ holderId: userId })
    .where('email', '=', email)
    .where('listId', 'is not', null)
    .where('holderId', 'is', null)
    .execute();
}

const AT_ONCE = 500;

/** The same for accounts that were created outside this process, by the command line or another node. */
export async function claimWaitingListGrants(store: Store): Promise<void> {
  const due = await store.query
    .selectFrom('grants as g')
    .innerJoin('users as u', 'u.email', 'g.email')
    .select(['u.id', 'u.email'])
    .distinct()
    .where('g.listId', 'is not', null)
    .where('g.holderId', 'is', null)
    .where('u.emailConfirmedAt', 'is not', null)
    .limit(AT_ONCE)
    .execute();
  for (const { id, email } of due) await store.transaction((tx) => claimListGrants(tx, { userId: id, email }));
}
