import type { Violation } from '@trackway/contract/accept.ts';
import type { AuditAction } from '@trackway/contract/audit.ts';
import type { AnswerOf, BodyOf, QueryOf } from '@trackway/contract/operations.ts';
import { type planOperations as contract, planCredit, plan as planNoun } from '@trackway/contract/resources/plan.ts';
import type { planV2Operations as contractV2 } from '@trackway/contract/resources/v2/plan-v2.ts';
import { parseTime } from '@trackway/contract/values.ts';
import type { Call, Caller, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { noteCreated } from '../../platform/keyed-request.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { isoTime } from '../../platform/times.ts';
import { accessDenied, invalid, invalidField, modelNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import {
  children,
  countOf,
  familyOf,
  listOf,
  orderOf,
  pageAnswer,
  pagedBy,
  refuseMoved,
  requestOf,
} from '../family.ts';
import { findRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { takeNumbers } from './credits.ts';
import { creditsOf, type OneCredit, type OrderPlanSort } from './order-plans.ts';
import { planSummary, presentPlan } from './shown-plans.ts';
import type { StoredPlan } from './subscriptions.ts';

const CATALOGUE: Scope = { sql: '1 = 1', cells: [] };

/** `devices/plans` changes the plan of a device. */
type PlanOperation =
  | Exclude<keyof typeof contract, 'getDevicePlan' | 'setDevicePlan' | 'endDevicePlan'>
  | Extract<keyof typeof contractV2, 'listOwnOrderPlans' | 'listOrderPlans' | 'listPlansForDevices' | 'buyPlans'>;

interface PlanRules {
  /** Whether users may buy credits themselves. */
  readonly usersMayBuy: boolean;
  /** Whether a caller may see the device with an identifier. */
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
      const held = await findRow(store.query, 'planCredits', { planId: key }, ['id']);
      if (held) throw invalidField('plan', 'id', 'inUse', 'cannot be deleted: users still have credits of this plan');
      await store.transaction(async (tx) => {
        await rows.remove(key, tx);
        await record(tx, call, 'plan.deleted', { id: key, name });
      });
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

const record = (tx: Tx, call: Call, action: AuditAction, detail: Readonly<Record<string, unknown>>) =>
  // The catalogue belongs to no user.
  recordAudit(tx, { action, ...byCaller(call), ...(call.userId > 0 && { userId: call.userId }), detail }, call.now);

async function uniqueName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NotUnique)) throw error;
    throw invalidField('plan', 'name', 'uniqueness', 'is already the name of another plan');
  }
}

type CreditPage = AnswerOf<'listOrderPlans'>;

/** Credits one by one, as version 2 lists them. */
async function creditPage(store: Store, userId: number, asked: QueryOf<'listOrderPlans'>): Promise<CreditPage> {
  const paged = pagedBy(asked);
  const { credits, total } = await creditsOf(store, userId, {
    consumed: asked.consumed,
    planIds: asked.planId,
    deviceIds: asked.deviceId,
    since: timeOf(asked.consumedSince),
    until: timeOf(asked.consumedUntil),
    sort: paged.sort as OrderPlanSort | undefined,
    direction: paged.isDescending ? 'desc' : 'asc',
    offset: paged.skip,
    limit: paged.limit,
  });
  const shown = credits.map((credit) => show(userId, credit));
  if (!paged.include.has('plan')) return pageAnswer(shown, total, paged);
  const ids = [...new Set(credits.map(({ planId }) => planId))];
  const rows =
    ids.length === 0 ? [] : await store.query.selectFrom('plans').selectAll().where('id', 'in', ids).execute();
  const plans = new Map(rows.map((row) => [row.id, presentPlan(row as object as Row)]));
  return pageAnswer(
    shown.map((one) => ({ ...one, plan: plans.get(one.planId)! })),
    total,
    paged,
  );
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : parseTime(text));

const show = (userId: number, { id, planId, orderId, deviceId, consumedOn, removedOn }: OneCredit) => ({
  id,
  planId,
  userId,
  orderId,
  deviceId,
  consumedByDeviceId: deviceId,
  consumedOn: consumedOn === null ? null : isoTime(consumedOn),
  removedOn: removedOn === null ? null : isoTime(removedOn),
  needsPayment: false,
  creditRemainingDays: false,
});

type Bought = AnswerOf<'buyPlans'>;
type Currency = Bought['currency'];
type Prices = { readonly [C in Currency]?: readonly (readonly [fromQuantity: number, unitPrice: number])[] };

const MOST_SKUS = 100;
const MOST_OF_SKU = 1_000_000;

interface Ordered {
  readonly sku: string;
  readonly count: number;
  readonly plan: StoredPlan;
}

/** Buys credits by SKU, all or none. It transfers no money: the operator bills the purchase. */
async function buyPlans(
  tx: Tx,
  userId: number,
  { currency, products }: BodyOf<'buyPlans'>,
  now: number,
): Promise<Bought> {
  const orders: Bought['orders'] = [];
  for (const { sku, count, plan } of await orderedOf(tx, products!)) {
    const firstNumber = await takeNumbers(tx, count);
    const { id } = await tx
      .insertInto('planCredits')
      .values({ userId, planId: plan.id, count, origin: 'bought', created: now, firstNumber })
      .returning('id')
      .executeTakeFirstOrThrow();
    orders.push({ sku, planId: plan.id, count, orderId: id, unitPrice: unitPrice(plan, currency!, count) });
  }
  const sums = orders.map(({ count, unitPrice: price }) => (price === null ? null : price * count));
  const total = sums.includes(null) ? null : rounded((sums as number[]).reduce((sum, one) => sum + one, 0));
  return { currency: currency!, total, orders };
}

/** The ordered products, in the order sent. All errors are reported together. */
async function orderedOf(tx: Tx, products: Readonly<Record<string, unknown>>): Promise<Ordered[]> {
  const wanted = Object.entries(products);
  if (wanted.length === 0 || wanted.length > MOST_SKUS)
    throw refused([`must have 1 to ${MOST_SKUS} entries of SKU and quantity`]);
  const skus = wanted.map(([sku]) => sku);
  const plans = await tx.selectFrom('plans').selectAll().where('sku', 'in', skus).orderBy('id').execute();
  const ordered: Ordered[] = [];
  const wrong: string[] = [];
  for (const [sku, sent] of wanted) {
    const [plan, another] = plans.filter((one) => one.sku === sku);
    const count = typeof sent === 'string' && /^\d{1,7}(\.0+)?$/.test(sent) ? Number(sent) : sent;
    const named = sku.slice(0, 100);
    if (plan === undefined) wrong.push(`has an unknown SKU: ${named}`);
    else if (another !== undefined) wrong.push(`has the SKU of several plans: ${named}`);
    else if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MOST_OF_SKU)
      wrong.push(`must have a quantity between 1 and ${MOST_OF_SKU} for ${named}`);
    else ordered.push({ sku, count, plan });
  }
  if (wrong.length > 0) throw refused(wrong);
  return ordered;
}

const refused = (messages: readonly string[]) =>
  invalid(
    'purchase',
    messages.map((message): Violation => ({ field: 'products', code: 'product', message })),
  );

/** The unit price at that quantity; null if the plan has none. */
function unitPrice({ prices }: StoredPlan, currency: Currency, count: number): number | null {
  const breaks = (prices === null ? {} : (JSON.parse(prices) as Prices))[currency] ?? [];
  const reached = breaks.filter(([from]) => from <= count).sort(([a], [b]) => b - a);
  return reached[0]?.[1] ?? null;
}

/** Removes floating-point noise from sums of decimal prices. */
const rounded = (sum: number) => Math.round(sum * 1e6) / 1e6;
