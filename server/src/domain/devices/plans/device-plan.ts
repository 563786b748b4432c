import type { Kysely } from 'kysely';
import {
  endSubscription,
  lockOwner,
  type OnPlan,
  type Renewal,
  requirePlan,
  startSubscription,
} from '../../plans/subscriptions.ts';
import type { Tables } from '../../schema/tables.ts';
import { activate } from '../activity.ts';
import { recordDeviceEvent } from '../device-events.ts';
import { planBegan, planEnded } from './plan-events.ts';

/** What changes with the plan of a device, in one transaction: its subscription, its settings and its timeline. */

export interface WantedPlan {
  readonly deviceId: number;
  readonly planId: number;
  readonly renewal: Renewal;
  /** Whether an inactive device becomes active by it. */
  readonly isActivating: boolean;
}

export interface PlanPut extends OnPlan {
  /** Whether a credit was used. */
  readonly isNew: boolean;
}

export async function putOnPlan(tx: Kysely<Tables>, wanted: WantedPlan, now: number): Promise<PlanPut> {
  const { deviceId, renewal } = wanted;
  const plan = await requirePlan(tx, wanted.planId);
  // First, since it waits for whoever is judging the device.
  if (wanted.isActivating && (await activate(tx, deviceId)))
    await recordDeviceEvent(tx, { deviceId, type: 'activation/activated', description: 'Activated by its plan' }, now);
  const { subscription, isNew, ended } = await startSubscription(tx, { deviceId, plan, renewal, now });
  if (ended) await planEnded(tx, ended, now);
  if (isNew) await planBegan(tx, 'plans/started', { subscription, plan }, now);
  return { subscription, plan, isNew };
}

/** Ends the plan of a device before its time; whether it had one. */
export async function takeOffPlan(tx: Kysely<Tables>, deviceId: number, now: number): Promise<boolean> {
  await lockOwner(tx, deviceId);
  const ended = await endSubscription(tx, deviceId, now);
  if (ended === undefined) return false;
  await tx.updateTable('devices').set({ expires: now }).where('id', '=', deviceId).execute();
  await planEnded(tx, ended, now);
  return true;
}
