import { type Kysely, sql } from 'kysely';
import { activeOf, lockOwner, planOf, renewSubscription } from '../plans/subscriptions.ts';
import { ALL_DEVICES, isOwnedId, type OwnedDevices } from '../schema/owned-devices.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { deactivate } from './activity.ts';
import { planBegan, planEnded } from './plan-events.ts';
import { rulesChanged } from './rules-changed.ts';

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
    .where(isOwnedId('deviceId', owned.now()))
    .limit(AT_ONCE);
  const due = new Map<number, number>();
  for (const column of ['end', 'renewUntil'] as const)
    for (const { id, deviceId } of await renewing.where(column, '<=', now).orderBy(column).execute())
      due.set(id, deviceId);
  for (const [id, deviceId] of due) await store.transaction((tx) => goOn(tx, { id, deviceId }, now));
  return due.size;
}

async function goOn(
  tx: Kysely<Tables>,
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
