import { type Kysely, sql } from 'kysely';
import { type EndedRights, holds } from '../../rights.ts';
import type { Tables } from '../../schema/tables.ts';
import { endForwarders } from './forwarders.ts';

/** Ends the forwarders of users who may no longer manage the device, and what they have not sent yet. */
export async function endUncoveredForwarders(
  tx: Kysely<Tables>,
  { userId, deviceId, isGivenAway }: EndedRights,
  now: number,
): Promise<number> {
  let uncovered = tx.selectFrom('forwarders as f').select('f.id');
  if (!isGivenAway) uncovered = uncovered.where(sql<boolean>`NOT ${holds('manage', 'f.userId', 'f.deviceId')}`);
  if (userId !== undefined) uncovered = uncovered.where('f.userId', '=', userId);
  if (deviceId !== undefined) uncovered = uncovered.where('f.deviceId', '=', deviceId);
  const ids = (await uncovered.execute()).map(({ id }) => id);
  await endForwarders(tx, ids, now);
  return ids.length;
}
