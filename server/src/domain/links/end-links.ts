import type { Kysely } from 'kysely';
import { type EndedRights, uncovered } from '../rights.ts';
import { managersOfGroup } from '../rules/applies.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { Store, Tables } from '../schema/tables.ts';

/** Whoever made a link sees for so long that it has ended, and how often it was opened. */
const KEPT_MS = 30 * 86_400_000;

/** Ends the links of users who may no longer manage the device. */
export async function endUncoveredLinks(
  tx: Kysely<Tables>,
  { userId, deviceId, isGivenAway }: EndedRights,
): Promise<number> {
  let made = tx.selectFrom('links').select(['id', 'userId', 'deviceId']);
  if (userId !== undefined) made = made.where('userId', '=', userId);
  if (deviceId !== undefined) made = made.where('deviceId', '=', deviceId);
  const links = await made.execute();
  const ids = (isGivenAway ? links : await uncovered(tx, links)).map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('links').where('id', 'in', ids).execute();
  return ids.length;
}

/** Ends the links of users who may no longer manage the group. One that was deleted may be restored, and its links with it. */
export async function endUncoveredGroupLinks(
  tx: Kysely<Tables>,
  { userId, isGivenAway }: EndedRights,
): Promise<number> {
  // Whoever gives a device away keeps the groups; the device is in none of them any more.
  if (isGivenAway) return 0;
  let made = tx
    .selectFrom('groupLinks as l')
    .innerJoin('deviceGroups as g', 'g.id', 'l.groupId')
    .select(['l.id', 'l.groupId', 'l.userId'])
    .where('g.deletedAt', 'is', null)
    .whereRef('g.ownerId', '!=', 'l.userId');
  if (userId !== undefined) made = made.where('l.userId', '=', userId);
  const ids: number[] = [];
  for (const link of await made.execute())
    if (!(await managersOfGroup(tx, link.groupId)).has(link.userId)) ids.push(link.id);
  if (ids.length > 0) await tx.deleteFrom('groupLinks').where('id', 'in', ids).execute();
  return ids.length;
}

/** Forgets links that ended long ago. */
export async function forgetEndedLinks(store: Store, now: number): Promise<void> {
  await forgetOld(store, 'links', 'expiresAt', now - KEPT_MS);
  await forgetOld(store, 'groupLinks', 'expiresAt', now - KEPT_MS);
}
