import type { Kysely } from 'kysely';
import { endSubscription } from '../plans/subscriptions.ts';
import type { Tables } from '../schema/tables.ts';
import { recordDeviceEvent } from './device-events.ts';
import { planEnded } from './plan-events.ts';
import { rulesChanged } from './rules-changed.ts';

/**
 * An inactive device is refused when it reports, so that it keeps what it has, and none of its triggers fires. Its
 * configuration and its messages can be changed, and wait.
 */

const DEACTIVATED = { type: 'activation/deactivated', description: 'The device was deactivated.' } as const;
const ACTIVATED = { type: 'activation/activated', description: 'The device was activated.' } as const;

/** Returns whether the device was inactive before: the caller adds the reason to the timeline. */
export const activate = (tx: Kysely<Tables>, deviceId: number): Promise<boolean> => setActive(tx, deviceId, true);

/** Ends the plan of the device too. Once more it changes nothing. Whether the device was active before. */
export async function deactivate(tx: Kysely<Tables>, deviceId: number, now: number): Promise<boolean> {
  const wasActive = await setActive(tx, deviceId, false);
  const plan = await endSubscription(tx, deviceId, now);
  if (plan) await planEnded(tx, plan, now);
  if (wasActive || plan) await tx.updateTable('devices').set({ expires: now }).where('id', '=', deviceId).execute();
  if (wasActive) await recordDeviceEvent(tx, { deviceId, ...DEACTIVATED }, now);
  return wasActive;
}

export async function setActive(tx: Kysely<Tables>, deviceId: number, isActive: boolean): Promise<boolean> {
  // First, because it waits for a running evaluation of the device.
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

/** A person sets it by hand: the plan goes on. Whether it changed. */
export async function switchActive(
  tx: Kysely<Tables>,
  deviceId: number,
  isActive: boolean,
  now: number,
): Promise<boolean> {
  if (!(await setActive(tx, deviceId, isActive))) return false;
  await recordDeviceEvent(tx, { deviceId, ...(isActive ? ACTIVATED : DEACTIVATED) }, now);
  return true;
}
