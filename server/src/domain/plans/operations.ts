import type { AuditAction } from '@trackway/contract/audit.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type planOperations as contract, planCredit, plan as planNoun } from '@trackway/contract/resources/plan.ts';
import type { planV2Operations as contractV2 } from '@trackway/contract/resources/v2/plan-v2.ts';
import type { Kysely } from 'kysely';
import type { Call, Caller, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { noteCreated } from '../../platform/keyed-request.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { accessDenied, invalidField, modelNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { children, countOf, familyOf, listOf, refuseMoved, requestOf } from '../family.ts';
import { orderOf, pageAnswer, pagedBy } from '../pages.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { buyPlans } from './buy.ts';
import { creditPage } from './credit-pages.ts';
import { takeNumbers } from './credits.ts';
import { planSummary } from './summary.ts';

const CATALOGUE: Scope = { sql: '1 = 1', cells: [] };

/** The plan of a device is changed in `devices/plans`. */
type PlanOperation =
  | Exclude<keyof typeof contract, 'getDevicePlan' | 'setDevicePlan' | 'endDevicePlan'>
  | Extract<keyof typeof contractV2, 'listOwnOrderPlans' | 'listOrderPlans' | 'listPlansForDevices' | 'buyPlans'>;

export interface PlanRules {
  /** Whether users may buy credits themselves. */
  readonly usersMayBuy: boolean;
  /** Whether a caller may see the device that an identifier names. */
  readonly isSeen?: (caller: Caller, identifier: string) => Promise<boolean>;
}

export function planOperations(
  store: Store,
  { usersMayBuy, isSeen = async () => false }: PlanRules,
): Handlers<PlanOperation> {
  const rows = collectionOf(store, 'plans', planNoun);
  const catalogue = familyOf('plan', rows, () => CATALOGUE);
  const creditRows = collectionOf(store, 'planCredits', planCredit);
  const credits = familyOf('planCredit', creditRows, (call) => children('userId', call.userId));
  const summarize = planSummary(store);

  async function found(planId: number): Promise<AnswerOf<'getPlan'>> {
    const row = await rows.find(CATALOGUE, planId);
    if (row === undefined) throw modelNotFound('plan', planId);
    return rows.present(row);
  }

  return {
    listPlans: (call) => listOf(catalogue, call),
    countPlans: (call) => countOf(catalogue, call),
    getPlan: (call) => found(call.key),
    async createPlan(call) {
      const row = await uniqueName(() =>
        store.transaction(async (tx) => {
          const made = await rows.insert(call.body, tx);
          await record(tx, call, 'plan.created', { id: made.id, name: made.name });
          return made;
        }),
      );
      return rows.present(row);
    },

    async updatePlan(call) {
      await found(call.key);
      refuseMoved(call.sent, { id: call.key });
      await uniqueName(() =>
        store.transaction(async (tx) => {
          await rows.update(call.key, call.body, tx);
          await record(tx, call, 'plan.updated', { id: call.key, fields: Object.keys(call.body) });
        }),
      );
      return found(call.key);
    },

    async deletePlan(call) {
      const { key } = call;
      const { name } = await found(key);
      const held = await store.query
        .selectFrom('planCredits')
        .select('id')
        .where('planId', '=', key)
        .limit(1)
        .executeTakeFirst();
      if (held) throw invalidField('plan', 'id', 'inUse', 'cannot be deleted: users still have credits of this plan');
      await store.transaction(async (tx) => {
        await rows.remove(key, tx);
        await record(tx, call, 'plan.deleted', { id: key, name });
      });
      return undefined;
    },

    summarizePlans: (call) => summarize(call.userId, call.parameters.consumed === true, call.now),
    summarizeOwnPlans: (call) => summarize(call.caller.userId, call.parameters.consumed === true, call.now),
    listPlanCredits: (call) => listOf(credits, call),
    countPlanCredits: (call) => countOf(credits, call),

    async createPlanCredit(call) {
      if (!call.caller.admin && !usersMayBuy) throw accessDenied();
      const { planId, count } = call.body as { planId: number; count: number };
      const plan = await rows.find(CATALOGUE, planId);
      if (plan === undefined) throw invalidField('planCredit', 'planId', 'unknown', `does not exist: ${planId}`);
      const origin = call.caller.admin ? 'allocated' : 'bought';
      const row = await store.transaction(async (tx) => {
        const values = { planId, count, userId: call.userId, origin, created: call.now };
        const made = await creditRows.insert(values, tx, { firstNumber: await takeNumbers(tx, count) });
        await record(tx, call, 'planCredit.created', { planId, count, origin });
        return made;
      });
      return creditRows.present(row);
    },

    listOwnOrderPlans: (call) => creditPage(store, call.caller.userId, call.parameters),
    listOrderPlans: (call) => creditPage(store, call.userId, call.parameters),

    async listPlansForDevices(call) {
      for (const identifier of call.parameters.deviceIdentifiers ?? [])
        if (!(await isSeen(call.caller, identifier))) throw modelNotFound('device', identifier);
      const paged = pagedBy(call.parameters);
      const { limit, skip } = paged;
      const page = await rows.page(CATALOGUE, { order: orderOf(paged), limit, skip }, requestOf(call));
      const shown = page.rows.map(({ days: _, keepDays: _kept, prices, ...plan }) =>
        paged.include.has('prices') ? { ...plan, prices } : plan,
      );
      return pageAnswer(shown, page.total, paged);
    },

    async buyPlans(call) {
      if (!call.caller.admin && !usersMayBuy) throw accessDenied();
      return store.transaction(async (tx) => {
        const bought = await buyPlans(tx, call.caller.userId, call.body, call.now);
        for (const { planId, count } of bought.orders)
          await record(tx, call, 'planCredit.created', { planId, count, origin: 'bought' });
        noteCreated(() => JSON.stringify(bought));
        return bought;
      });
    },
  };
}

const record = (tx: Kysely<Tables>, call: Call, action: AuditAction, detail: Readonly<Record<string, unknown>>) =>
  // The catalogue is nobody's.
  recordAudit(tx, { action, ...byCaller(call), ...(call.userId > 0 && { userId: call.userId }), detail }, call.now);

async function uniqueName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NotUnique)) throw error;
    throw invalidField('plan', 'name', 'uniqueness', 'is already the name of another plan');
  }
}
