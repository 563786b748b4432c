import type { Kysely } from 'kysely';
import { endSubscription } from '../plans/subscriptions.ts';
import type { Tables } from '../schema/tables.ts';
import { rulesChanged } from './rules-changed.ts';

/**
 * An inactive device is refused when it reports, so that it keeps what it has, and none of its triggers fires. Its
 * configuration and its messages can be changed, and wait.
 */

/** Whether the device was inactive before. */
export const activate = (tx: Kysely<Tables>, deviceId: number): Promise<boolean> => setActive(tx, deviceId, true);

/** Ends the plan of the device too. Once more it changes nothing. Whether the device was active before. */
export async function deactivate(tx: Kysely<Tables>, deviceId: number, now: number): Promise<boolean> {
  const wasActive = await setActive(tx, deviceId, false);
  const hadPlan = await endSubscription(tx, deviceId, now);
  if (wasActive || hadPlan) await tx.updateTable('devices').set({ expires: now }).where('id', '=', deviceId).execute();
  return wasActive;
}

export async function setActive(tx: Kysely<Tables>, deviceId: number, isActive: boolean): Promise<boolean> {
  // First, since it waits for whoever is judging the device.
  await rulesChanged(tx, deviceId);
  const changed = await tx
    .updateTable('devices')
    .set({ active: isActive ? 1 : 0 })
    .where('id', '=', deviceId)
    .where('active', '=', isActive ? 0 : 1)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}
