import type { Kysely } from 'kysely';
import type { Store, Tables } from '../../schema/tables.ts';
import { addMember } from './members.ts';

/** Makes a user a member of the lists that were shared with their address, which is confirmed now. */
export async function claimListGrants(
  tx: Kysely<Tables>,
  { userId, email }: { readonly userId: number; readonly email: string },
  now: number,
): Promise<void> {
  const waiting = await tx
    .selectFrom('geofenceListGrants as g')
    .innerJoin('geofenceLists as l', 'l.id', 'g.listId')
    .select(['g.id', 'g.listId', 'l.ownerId'])
    .where('g.email', '=', email)
    .where('g.holderId', 'is', null)
    .orderBy('g.listId')
    .execute();
  for (const { id, listId, ownerId } of waiting) {
    await tx.updateTable('geofenceListGrants').set({ holderId: userId }).where('id', '=', id).execute();
    if (ownerId !== userId) await addMember(tx, { listId, userId, byId: false }, now);
  }
}

const AT_ONCE = 500;

/** The same for accounts that were made without this server, by the command line or by another process meanwhile. */
export async function claimWaitingListGrants(store: Store, now: number): Promise<void> {
  const due = await store.query
    .selectFrom('geofenceListGrants as g')
    .innerJoin('users as u', 'u.email', 'g.email')
    .select(['u.id', 'u.email'])
    .distinct()
    .where('g.holderId', 'is', null)
    .where('u.emailConfirmedAt', 'is not', null)
    .limit(AT_ONCE)
    .execute();
  for (const { id, email } of due) await store.transaction((tx) => claimListGrants(tx, { userId: id, email }, now));
}
