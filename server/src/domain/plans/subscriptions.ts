import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Selectable } from 'kysely';
import type { Row } from '../../platform/storage/shape.ts';
import { isoTime } from '../../platform/times.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import type { PlanRow, SubscriptionRow } from '../schema/rows/account-rows.ts';
import type { Tx } from '../schema/tables.ts';
import { nextCredit } from './credits.ts';
import { presentPlan } from './shown-plans.ts';

const DAY_MS = 86_400_000;

export type StoredSubscription = Selectable<SubscriptionRow>;
export type StoredPlan = Selectable<PlanRow>;

/** The renewal of a subscription. Absent fields stay unchanged. */
export interface Renewal {
  /** The time when the device is deactivated. Null: never. */
  readonly renewUntil?: number | null;
  readonly renews?: boolean;
}

/** A device's subscription, and its plan. */
export interface OnPlan {
  readonly subscription: StoredSubscription;
  readonly plan: StoredPlan;
}

export const activeOf = (on: Tx, deviceId: number, now: number): Promise<StoredSubscription | undefined> =>
  on
    .selectFrom('subscriptions')
    .selectAll()
    .where('deviceId', '=', deviceId)
    .where('end', '>', now)
    .orderBy('id', 'desc')
    .executeTakeFirst();

export const planOf = (on: Tx, planId: number): Promise<StoredPlan | undefined> =>
  on.selectFrom('plans').selectAll().where('id', '=', planId).executeTakeFirst();

/** The display name of a plan. */
export const titleOf = ({ displayName, name }: StoredPlan) => displayName || name;

export async function requirePlan(on: Tx, planId: number): Promise<StoredPlan> {
  const plan = await planOf(on, planId);
  if (plan === undefined) throw invalidField('subscription', 'planId', 'unknown', `does not exist: ${planId}`);
  return plan;
}

/**
 * Subscribes a device to a plan, for one credit of its owner. If it already has that plan, no credit is used and only
 * the renewal is changed. An earlier plan ends.
 */
export async function startSubscription(
  tx: Tx,
  { deviceId, plan, renewal, now }: { deviceId: number; plan: StoredPlan; renewal: Renewal; now: number },
): Promise<{
  readonly subscription: StoredSubscription;
  readonly isNew: boolean;
  readonly ended?: StoredSubscription;
}> {
  const userId = await lockOwner(tx, deviceId);
  if (userId === undefined) throw modelNotFound('device', deviceId);
  const active = await activeOf(tx, deviceId, now);
  if (active?.planId === plan.id) return { subscription: await changeRenewal(tx, active, renewal), isNew: false };
  const creditNumber = await nextCredit(tx, userId, plan.id);
  if (creditNumber === undefined)
    throw invalidField('subscription', 'planId', 'noCredit', "has no unused credits: the device's owner needs one");
  const ended = await endSubscription(tx, deviceId, now);
  const subscription = await insert(tx, { deviceId, userId, plan, creditNumber, start: now, renewal });
  return { subscription, isNew: true, ended };
}

/** Ends the active subscription of a device early; undefined if it has none. The credit stays used. */
export async function endSubscription(tx: Tx, deviceId: number, now: number): Promise<StoredSubscription | undefined> {
  const active = await activeOf(tx, deviceId, now);
  if (active === undefined) return undefined;
  return tx
    .updateTable('subscriptions')
    .set({ end: now, removedAt: now, renews: 0 })
    .where('id', '=', active.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Uses the next credit of the same plan for a subscription that has ended; undefined if there is none. */
export async function renewSubscription(
  tx: Tx,
  { subscription, plan }: OnPlan,
  now: number,
): Promise<StoredSubscription | undefined> {
  const { deviceId, userId, renewUntil } = subscription;
  const creditNumber = await nextCredit(tx, userId, plan.id);
  if (creditNumber === undefined) return undefined;
  // Without a gap, but a period that is already over is not charged, for example after a long downtime.
  const start = subscription.end + plan.days * DAY_MS > now ? subscription.end : now;
  return insert(tx, { deviceId, userId, plan, creditNumber, start, renewal: { renewUntil, renews: true } });
}

/** The owner of a device, locked until the transaction ends; undefined if it was deleted. */
export async function lockOwner(tx: Tx, deviceId: number): Promise<number | undefined> {
  const device = await tx
    .updateTable('devices')
    .set(({ ref }) => ({ expires: ref('expires') }))
    .where('id', '=', deviceId)
    .where('deletedAt', 'is', null)
    .returning('ownerId')
    .executeTakeFirst();
  return device?.ownerId;
}

interface NewSubscription extends Pick<StoredSubscription, 'deviceId' | 'userId' | 'start'> {
  readonly plan: StoredPlan;
  readonly creditNumber: number;
  readonly renewal: Renewal;
}

async function insert(
  tx: Tx,
  { deviceId, userId, plan, creditNumber, start, renewal }: NewSubscription,
): Promise<StoredSubscription> {
  const end = start + plan.days * DAY_MS;
  const { renewUntil = null, renews = renewUntil !== null } = renewal;
  const subscription = await tx
    .insertInto('subscriptions')
    .values({
      deviceId,
      userId,
      planId: plan.id,
      start,
      end,
      creditNumber,
      removedAt: null,
      renewUntil,
      renews: renews ? 1 : 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx.updateTable('devices').set({ expires: end }).where('id', '=', deviceId).execute();
  return subscription;
}

async function changeRenewal(
  tx: Tx,
  active: StoredSubscription,
  { renewUntil, renews }: Renewal,
): Promise<StoredSubscription> {
  if (renewUntil === undefined && renews === undefined) return active;
  const until = renewUntil === undefined ? active.renewUntil : renewUntil;
  return tx
    .updateTable('subscriptions')
    .set({ renewUntil: until, renews: (renews ?? until !== null) ? 1 : 0 })
    .where('id', '=', active.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A subscription and its plan, as version 2 shows them. */
export const showSubscription = ({ subscription, plan }: OnPlan): AnswerOf<'putPlanOfDevice'> => ({
  id: subscription.id,
  deviceId: subscription.deviceId,
  userId: subscription.userId,
  planId: subscription.planId,
  created: isoTime(subscription.start),
  expires: isoTime(subscription.end),
  _stripeSubscriptionId: null,
  renewUntil: subscription.renewUntil === null ? null : isoTime(subscription.renewUntil),
  renews: subscription.renews === 1,
  plan: presentPlan(plan as object as Row),
});
