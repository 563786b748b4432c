import { sql } from 'kysely';
import { raiseToLimits } from '../plans/limits.ts';
import {
  activeOf,
  endSubscription,
  lockOwner,
  type OnPlan,
  planOf,
  renewSubscription,
  type StoredPlan,
  type StoredSubscription,
  titleOf,
} from '../plans/subscriptions.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices } from '../schema/owned-devices.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type DeviceEvent, type DeviceEventType, recordDeviceEvent } from './device-events.ts';
import { rulesChanged } from './rules-changed.ts';

/**
 * An inactive device is refused when it reports, so that it keeps what it has, and none of its triggers fires. Its
 * configuration and its messages can be changed, and wait.
 */

const DEACTIVATED = { type: 'activation/deactivated', description: 'The device was deactivated.' } as const;
const ACTIVATED = { type: 'activation/activated', description: 'The device was activated.' } as const;

/** Returns whether the device was inactive before: the caller adds the reason to the timeline. */
export const activate = (tx: Tx, deviceId: number): Promise<boolean> => setActive(tx, deviceId, true);

/** Ends the plan of the device too. Once more it changes nothing. Whether the device was active before. */
export async function deactivate(tx: Tx, deviceId: number, now: number): Promise<boolean> {
  const wasActive = await setActive(tx, deviceId, false);
  const plan = await endSubscription(tx, deviceId, now);
  if (plan) await planEnded(tx, plan, now);
  if (wasActive || plan) await tx.updateTable('devices').set({ expires: now }).where('id', '=', deviceId).execute();
  if (wasActive) await recordDeviceEvent(tx, { deviceId, ...DEACTIVATED }, now);
  return wasActive;
}

export async function setActive(tx: Tx, deviceId: number, isActive: boolean): Promise<boolean> {
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
export async function switchActive(tx: Tx, deviceId: number, isActive: boolean, now: number): Promise<boolean> {
  if (!(await setActive(tx, deviceId, isActive))) return false;
  await recordDeviceEvent(tx, { deviceId, ...(isActive ? ACTIVATED : DEACTIVATED) }, now);
  return true;
}

/** What follows from the begin and the end of a subscription, in its transaction. */

/** A subscription began: the settings are raised to the limits of its plan. */
export async function planBegan(
  tx: Tx,
  type: 'plans/started' | 'plans/renewed',
  { subscription, plan }: OnPlan,
  now: number,
): Promise<void> {
  const { deviceId } = subscription;
  const raised = await raiseToLimits(tx, deviceId, plan, now);
  const settings = Object.entries(raised)
    .map(([name, limit]) => `${name} to ${limit} s`)
    .join(' and ');
  const word = type === 'plans/started' ? 'started' : 'renewed';
  const description = `Plan ${titleOf(plan)} ${word}${settings === '' ? '' : `: raised ${settings}`}`;
  await record(tx, type, subscription, plan, description, now, { ...raised, raised: settings || undefined });
}

export async function planEnded(
  tx: Tx,
  subscription: StoredSubscription,
  now: number,
  type: 'plans/ended' | 'plans/expired' = 'plans/ended',
): Promise<void> {
  const plan = (await planOf(tx, subscription.planId))!;
  const description = `Plan ${titleOf(plan)} ${type === 'plans/ended' ? 'was ended' : 'expired'}`;
  await record(tx, type, subscription, plan, description, now);
}

const record = (
  tx: Tx,
  type: DeviceEventType,
  { deviceId, creditNumber }: StoredSubscription,
  plan: StoredPlan,
  description: string,
  now: number,
  more: DeviceEvent['meta'] = {},
) =>
  recordDeviceEvent(
    tx,
    {
      deviceId,
      type,
      description,
      meta: { planId: plan.id, plan: plan.name, title: titleOf(plan), orderPlanId: creditNumber, ...more },
    },
    now,
  );

/** At most this many in one round; the others follow in the next. */
const AT_ONCE = 500;

/**
 * Plans that renew use the next credit when they end. Without a credit, or when the time until which they renew is over,
 * the device is deactivated. Each subscription goes on once, though two servers look.
 */
export async function renewPlans(store: Store, now: number, owned: OwnedDevices = ALL_DEVICES): Promise<number> {
  const renewing = store.query
    .selectFrom('subscriptions')
    .select(['id', 'deviceId'])
    // Spelled as the indexes are.
    .where(sql<boolean>`"renews" = 1`)
    .where(isOwned('deviceId', owned.now()))
    .limit(AT_ONCE);
  const due = new Map<number, number>();
  for (const column of ['end', 'renewUntil'] as const)
    for (const { id, deviceId } of await renewing.where(column, '<=', now).orderBy(column).execute())
      due.set(id, deviceId);
  for (const [id, deviceId] of due) await store.transaction((tx) => goOn(tx, { id, deviceId }, now));
  return due.size;
}

async function goOn(
  tx: Tx,
  { id, deviceId }: { readonly id: number; readonly deviceId: number },
  now: number,
): Promise<void> {
  // First, because it waits for a running evaluation of the device.
  await rulesChanged(tx, deviceId);
  const ownerId = await lockOwner(tx, deviceId);
  const subscription = await tx
    .updateTable('subscriptions')
    .set({ renews: 0 })
    .where('id', '=', id)
    .where('renews', '=', 1)
    .returningAll()
    .executeTakeFirst();
  if (ownerId === undefined || subscription === undefined) return;
  const active = await activeOf(tx, deviceId, now);
  if (active !== undefined && active.id !== id) return;

  const isOver = subscription.renewUntil !== null && subscription.renewUntil <= now;
  const plan = (await planOf(tx, subscription.planId))!;
  const next = isOver ? undefined : await renewSubscription(tx, { subscription, plan }, now);
  if (next !== undefined) return planBegan(tx, 'plans/renewed', { subscription: next, plan }, now);
  if (active === undefined) await planEnded(tx, subscription, now, 'plans/expired');
  await deactivate(tx, deviceId, now);
}
