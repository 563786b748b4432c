import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Kysely } from 'kysely';
import type { Collection } from '../../platform/collection.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import type { SubscriptionRow } from '../schema/rows/account-rows.ts';
import type { Store, Tables } from '../schema/tables.ts';

type Subscription = AnswerOf<'getDevicePlan'>;

const DAY_MS = 86_400_000;

/** Runs in the transaction that changes the plan. */
type Also = (tx: Kysely<Tables>) => Promise<void>;

/** A device's time on a plan. Starting it uses one credit of the device's owner for good. */
export function subscriptions(store: Store, rows: Collection<Subscription>) {
  return {
    async current(deviceId: number, now: number): Promise<Subscription> {
      const active = await activeOf(store.query, deviceId, now);
      if (active === undefined) throw childNotFound('subscription', `of device ${deviceId}`);
      return rows.present(active);
    },

    start: (deviceId: number, planId: number, now: number, also?: Also): Promise<Subscription> =>
      store.transaction(async (tx) => {
        const plan = await tx.selectFrom('plans').selectAll().where('id', '=', planId).executeTakeFirst();
        if (plan === undefined) throw invalidField('subscription', 'planId', 'unknown', `does not exist: ${planId}`);
        const active = await activeOf(tx, deviceId, now);
        if (active?.planId === planId) return rows.present(active);
        // Locking the owner's row makes two devices that want the last credit take turns, on either engine.
        const device = await tx
          .selectFrom('devices')
          .select('ownerId')
          .where('id', '=', deviceId)
          .executeTakeFirstOrThrow();
        const userId = device.ownerId;
        await tx.updateTable('users').set({ id: userId }).where('id', '=', userId).execute();
        if ((await unusedCredits(tx, userId, planId)) < 1) {
          throw invalidField(
            'subscription',
            'planId',
            'noCredit',
            "has no unused credits: the device's owner needs one",
          );
        }
        if (active) await endAt(tx, active, now);
        const end = now + plan.days * DAY_MS;
        const row = await rows.insert({ deviceId, userId, planId, start: now, end }, tx);
        await tx.updateTable('devices').set({ expires: end }).where('id', '=', deviceId).execute();
        await also?.(tx);
        return rows.present(row);
      }),

    end: (deviceId: number, now: number, also?: Also): Promise<void> =>
      store.transaction(async (tx) => {
        await also?.(tx);
        if (!(await endSubscription(tx, deviceId, now))) throw childNotFound('subscription', `of device ${deviceId}`);
        await tx.updateTable('devices').set({ expires: now }).where('id', '=', deviceId).execute();
      }),
  };
}

const activeOf = (on: Kysely<Tables>, deviceId: number, now: number) =>
  on
    .selectFrom('subscriptions')
    .selectAll()
    .where('deviceId', '=', deviceId)
    .where('end', '>', now)
    .orderBy('id', 'desc')
    .executeTakeFirst();

/** Ends the active subscription of a device; false where it has none. */
export async function endSubscription(tx: Kysely<Tables>, deviceId: number, now: number): Promise<boolean> {
  const active = await activeOf(tx, deviceId, now);
  if (active === undefined) return false;
  await endAt(tx, active, now);
  return true;
}

async function endAt(
  tx: Kysely<Tables>,
  active: { id: number } & Omit<SubscriptionRow, 'id'>,
  now: number,
): Promise<void> {
  await tx.updateTable('subscriptions').set({ end: now }).where('id', '=', active.id).execute();
}

async function unusedCredits(tx: Kysely<Tables>, userId: number, planId: number): Promise<number> {
  const given = await tx
    .selectFrom('planCredits')
    .select((of) => of.fn.sum<number>('count').as('sum'))
    .where('userId', '=', userId)
    .where('planId', '=', planId)
    .executeTakeFirstOrThrow();
  const used = await tx
    .selectFrom('subscriptions')
    .select((of) => of.fn.countAll<number>().as('used'))
    .where('userId', '=', userId)
    .where('planId', '=', planId)
    .executeTakeFirstOrThrow();
  return Number(given.sum ?? 0) - used.used;
}
