import type { AnswerOf } from '@trackway/contract/operations.ts';
import {
  type planOperations as contract,
  planCredit,
  plan as planNoun,
  subscription,
} from '@trackway/contract/resources/plan.ts';
import type { Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { accessDenied, invalidField, modelNotFound } from '../../refusals.ts';
import { children, countOf, familyOf, listOf, refuseMoved } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';
import { subscriptions } from './subscriptions.ts';
import { planSummary } from './summary.ts';

const CATALOGUE: Scope = { sql: '1 = 1', cells: [] };

export interface PlanRules {
  /** Whether users may buy credits themselves. */
  readonly usersMayBuy: boolean;
}

export function planOperations(store: Store, rules: PlanRules): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'plans', planNoun);
  const catalogue = familyOf('plan', rows, () => CATALOGUE);
  const creditRows = collectionOf(store, 'planCredits', planCredit);
  const credits = familyOf('planCredit', creditRows, (call) => children('userId', call.userId));
  const summarize = planSummary(store);
  const subscribed = subscriptions(store, collectionOf(store, 'subscriptions', subscription));

  async function found(planId: number): Promise<AnswerOf<'getPlan'>> {
    const row = await rows.find(CATALOGUE, planId);
    if (row === undefined) throw modelNotFound('plan', planId);
    return rows.present(row);
  }

  return {
    listPlans: (call) => listOf(catalogue, call),
    countPlans: (call) => countOf(catalogue, call),
    getPlan: (call) => found(call.key),
    createPlan: async (call) =>
      rows.present(await uniqueName(() => store.transaction((tx) => rows.insert(call.body, tx)))),

    async updatePlan(call) {
      await found(call.key);
      refuseMoved(call.sent, { id: call.key });
      await uniqueName(() => rows.update(call.key, call.body));
      return found(call.key);
    },

    async deletePlan({ key }) {
      await found(key);
      const held = await store.query
        .selectFrom('planCredits')
        .select('id')
        .where('planId', '=', key)
        .limit(1)
        .executeTakeFirst();
      if (held) throw invalidField('plan', 'id', 'inUse', 'cannot be deleted: users still have credits of this plan');
      await rows.remove(key);
      return undefined;
    },

    summarizePlans: (call) => summarize(call.userId, call.parameters.consumed === true, call.now),
    summarizeOwnPlans: (call) => summarize(call.caller.userId, call.parameters.consumed === true, call.now),
    listPlanCredits: (call) => listOf(credits, call),
    countPlanCredits: (call) => countOf(credits, call),

    async createPlanCredit(call) {
      if (!call.caller.admin && !rules.usersMayBuy) throw accessDenied();
      const { planId, count } = call.body as { planId: number; count: number };
      const plan = await rows.find(CATALOGUE, planId);
      if (plan === undefined) throw invalidField('planCredit', 'planId', 'unknown', `does not exist: ${planId}`);
      const origin = call.caller.admin ? 'allocated' : 'bought';
      const credit = { planId, count, userId: call.userId, origin, created: call.now };
      const row = await store.transaction((tx) => creditRows.insert(credit, tx));
      return creditRows.present(row);
    },

    getDevicePlan: (call) => subscribed.current(call.deviceId, call.now),
    setDevicePlan: (call) => subscribed.start(call.deviceId, call.body.planId!, call.now),
    async endDevicePlan(call) {
      await subscribed.end(call.deviceId, call.now);
      return undefined;
    },
  };
}

async function uniqueName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NotUnique)) throw error;
    throw invalidField('plan', 'name', 'uniqueness', 'is already the name of another plan');
  }
}
