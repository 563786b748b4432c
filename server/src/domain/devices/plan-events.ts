import type { Kysely } from 'kysely';
import { raiseToLimits } from '../plans/limits.ts';
import { type OnPlan, planOf, type StoredPlan, type StoredSubscription, titleOf } from '../plans/subscriptions.ts';
import type { Tables } from '../schema/tables.ts';
import { type DeviceEvent, type DeviceEventType, recordDeviceEvent } from './device-events.ts';

/** What follows from the begin and the end of a subscription, in its transaction. */

/** A subscription began: the settings are raised to the limits of its plan. */
export async function planBegan(
  tx: Kysely<Tables>,
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
  tx: Kysely<Tables>,
  subscription: StoredSubscription,
  now: number,
  type: 'plans/ended' | 'plans/expired' = 'plans/ended',
): Promise<void> {
  const plan = (await planOf(tx, subscription.planId))!;
  const description = `Plan ${titleOf(plan)} ${type === 'plans/ended' ? 'was ended' : 'expired'}`;
  await record(tx, type, subscription, plan, description, now);
}

const record = (
  tx: Kysely<Tables>,
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
