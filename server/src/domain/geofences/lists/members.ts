import type { Kysely } from 'kysely';
import type { Tables } from '../../schema/tables.ts';
import { endUnusedInvitation } from '../../users/mail-links/invite.ts';

/** How users become members of a list, and cease to be. */

export async function addMember(
  tx: Kysely<Tables>,
  { listId, userId, byId }: { readonly listId: number; readonly userId: number; readonly byId: boolean },
  now: number,
): Promise<void> {
  await tx
    .insertInto('geofenceListUsers')
    .values({ listId, userId, byId: byId ? 1 : 0, created: now })
    .onConflict((on) => {
      const known = on.columns(['listId', 'userId']);
      return byId ? known.doUpdateSet({ byId: 1 }) : known.doNothing();
    })
    .execute();
}

/** Whoever is no member any more has no fences on the list, and no address by which they would be one again. */
export async function endMembership(tx: Kysely<Tables>, listId: number, userId: number): Promise<void> {
  await tx.deleteFrom('geofenceListUsers').where('listId', '=', listId).where('userId', '=', userId).execute();
  await tx.deleteFrom('geofenceListGrants').where('listId', '=', listId).where('holderId', '=', userId).execute();
  await tx
    .updateTable('geofences')
    .set({ listId: null })
    .where('listId', '=', listId)
    .where('userId', '=', userId)
    .execute();
}

export interface ListGrant {
  readonly listId: number;
  readonly email: string;
  readonly givenBy: number;
}

/** Shares a list with an address: at once where an account has it, otherwise when one does. */
export async function grantToAddress(
  tx: Kysely<Tables>,
  { listId, email, givenBy }: ListGrant,
  ownerId: number,
  now: number,
): Promise<void> {
  const account = await tx
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('emailConfirmedAt', 'is not', null)
    .executeTakeFirst();
  await tx
    .insertInto('geofenceListGrants')
    .values({ listId, email, givenBy, holderId: account?.id ?? null, created: now })
    .execute();
  if (account !== undefined && account.id !== ownerId)
    await addMember(tx, { listId, userId: account.id, byId: false }, now);
}

/** Ends what was given to an address. Whoever was named by their id too stays a member. */
export async function endGrant(tx: Kysely<Tables>, listId: number, email: string): Promise<boolean> {
  const grant = await tx
    .deleteFrom('geofenceListGrants')
    .where('listId', '=', listId)
    .where('email', '=', email)
    .returning('holderId')
    .executeTakeFirst();
  if (grant === undefined) return false;
  if (grant.holderId === null) {
    await endUnusedInvitation(tx, email);
    return true;
  }
  const others = await tx
    .selectFrom('geofenceListGrants')
    .select('id')
    .where('listId', '=', listId)
    .where('holderId', '=', grant.holderId)
    .executeTakeFirst();
  const member = await tx
    .selectFrom('geofenceListUsers')
    .select('byId')
    .where('listId', '=', listId)
    .where('userId', '=', grant.holderId)
    .executeTakeFirst();
  if (others === undefined && member?.byId === 0) await endMembership(tx, listId, grant.holderId);
  return true;
}
