import type { Kysely } from 'kysely';
import type { Tables } from '../../schema/tables.ts';
import type { SeenList } from './list-access.ts';

interface Sharing {
  readonly sharedBy: string | null;
  readonly data: { readonly email: string | null; readonly userId: number | null }[];
}

/** With whom a list is shared, as far as a member may know: its owner all of it, others what they did themselves. */
export async function sharingOf(on: Kysely<Tables>, { id, ownerId }: SeenList, userId: number): Promise<Sharing> {
  const isOwner = ownerId === userId;
  const addresses = await on
    .selectFrom('geofenceListGrants')
    .select('email')
    .where('listId', '=', id)
    .$if(!isOwner, (query) => query.where('givenBy', '=', userId))
    .orderBy('id')
    .execute();
  const byAddress = addresses.map(({ email }) => ({ email, userId: null }));
  if (!isOwner) return { sharedBy: await sharerOf(on, id, userId), data: byAddress };
  const members = await on
    .selectFrom('geofenceListUsers')
    .select('userId')
    .where('listId', '=', id)
    .where('byId', '=', 1)
    .orderBy('id')
    .execute();
  return { sharedBy: null, data: [...byAddress, ...members.map((member) => ({ email: null, userId: member.userId }))] };
}

/** Known where it was shared with an address of the user, whom the mail about it told the same. */
async function sharerOf(on: Kysely<Tables>, listId: number, userId: number): Promise<string | null> {
  const grant = await on
    .selectFrom('geofenceListGrants as g')
    .innerJoin('users as u', 'u.id', 'g.givenBy')
    .select('u.email')
    .where('g.listId', '=', listId)
    .where('g.holderId', '=', userId)
    .orderBy('g.id')
    .executeTakeFirst();
  return grant?.email ?? null;
}
