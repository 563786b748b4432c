import { type Kysely, sql } from 'kysely';
import { type EndedRights, holds } from '../rights.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { Store, Tables } from '../schema/tables.ts';

/** Whoever made a link sees for so long that it has ended, and how often it was opened. */
const KEPT_MS = 30 * 86_400_000;

/** Ends the links of users who may no longer manage the device. */
export async function endUncoveredLinks(
  tx: Kysely<Tables>,
  { userId, deviceId, isGivenAway }: EndedRights,
): Promise<number> {
  let uncovered = tx.selectFrom('links as l').select('l.id');
  if (!isGivenAway) uncovered = uncovered.where(sql<boolean>`NOT ${holds('manage', 'l.userId', 'l.deviceId')}`);
  if (userId !== undefined) uncovered = uncovered.where('l.userId', '=', userId);
  if (deviceId !== undefined) uncovered = uncovered.where('l.deviceId', '=', deviceId);
  const ids = (await uncovered.execute()).map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('links').where('id', 'in', ids).execute();
  return ids.length;
}

/** Forgets links that ended long ago. */
export const forgetEndedLinks = (store: Store, now: number) => forgetOld(store, 'links', 'expiresAt', now - KEPT_MS);
