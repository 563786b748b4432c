import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * Whether the caller may know the id of a user: by a device the user shares with the caller, or because the caller
 * shares one with that id already. A share with an address reveals no id, so it does not count: otherwise ids could be
 * tried until one fits the address.
 */
export async function isKnownById(tx: Kysely<Tables>, callerId: number, userId: number): Promise<boolean> {
  const theirs = await tx
    .selectFrom('shares as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select('s.id')
    .where('s.userId', '=', callerId)
    .where('d.ownerId', '=', userId)
    .where('d.deletedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (theirs !== undefined) return true;
  const own = await tx
    .selectFrom('shareGrants as g')
    .innerJoin('devices as d', 'd.id', 'g.deviceId')
    .select('g.id')
    .where('g.userId', '=', userId)
    .where('d.ownerId', '=', callerId)
    .where('d.deletedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return own !== undefined;
}
