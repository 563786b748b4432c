import type { Kysely } from 'kysely';
import { isKnownById } from '../../devices/known-by-id.ts';
import type { Tables } from '../../schema/tables.ts';

/**
 * Whether the caller knows a user by id: by a device, or because the user owns a list or a fence that the caller sees, or
 * was named by id as a member of such a list. To be a member by an address tells no id: else ids could be tried until one
 * fits the address, and whoever shares would learn whether it has an account.
 */
export async function isKnownUser(tx: Kysely<Tables>, callerId: number, userId: number): Promise<boolean> {
  if (callerId === userId || (await isKnownById(tx, callerId, userId))) return true;
  const shared = await tx
    .selectFrom('geofenceLists as l')
    .select('l.id')
    .where((when) =>
      when.or([
        when('l.ownerId', '=', callerId),
        when.exists(
          when
            .selectFrom('geofenceListUsers as m')
            .select('m.id')
            .whereRef('m.listId', '=', 'l.id')
            .where('m.userId', '=', callerId),
        ),
      ]),
    )
    .where((when) =>
      when.or([
        when('l.ownerId', '=', userId),
        when.exists(
          when
            .selectFrom('geofences as f')
            .select('f.id')
            .whereRef('f.listId', '=', 'l.id')
            .where('f.userId', '=', userId),
        ),
        when.exists(
          when
            .selectFrom('geofenceListUsers as m')
            .select('m.id')
            .whereRef('m.listId', '=', 'l.id')
            .where('m.userId', '=', userId)
            .where('m.byId', '=', 1),
        ),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return shared !== undefined;
}

export async function isMember(tx: Kysely<Tables>, listId: number, userId: number): Promise<boolean> {
  const member = await tx
    .selectFrom('geofenceListUsers')
    .select('id')
    .where('listId', '=', listId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return member !== undefined;
}
