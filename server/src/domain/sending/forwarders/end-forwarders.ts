import type { Kysely } from 'kysely';
import { type EndedRights, uncovered } from '../../rights.ts';
import type { Tables } from '../../schema/tables.ts';
import { endForwarders } from './forwarders.ts';

/** Ends the forwarders of users who may no longer manage the device, and what they have not sent yet. */
export async function endUncoveredForwarders(
  tx: Kysely<Tables>,
  { userId, deviceId, isGivenAway }: EndedRights,
  now: number,
): Promise<number> {
  let made = tx.selectFrom('forwarders').select(['id', 'userId', 'deviceId']);
  if (userId !== undefined) made = made.where('userId', '=', userId);
  if (deviceId !== undefined) made = made.where('deviceId', '=', deviceId);
  const forwarders = await made.execute();
  const ids = (isGivenAway ? forwarders : await uncovered(tx, forwarders)).map(({ id }) => id);
  await endForwarders(tx, ids, now);
  return ids.length;
}
