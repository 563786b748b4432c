import type { Violation } from '@trackway/contract/accept.ts';
import type { AnswerOf, BodyOf } from '@trackway/contract/operations.ts';
import type { Kysely } from 'kysely';
import { invalid } from '../../refusals.ts';
import type { Tables } from '../schema/tables.ts';
import { takeNumbers } from './credits.ts';
import type { StoredPlan } from './subscriptions.ts';

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

/** Buys credits by SKU, all or none. No money moves here: the operator bills what was bought. */
export async function buyPlans(
  tx: Kysely<Tables>,
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

/** What is ordered, in the order sent. Everything wrong with it is said at once. */
async function orderedOf(tx: Kysely<Tables>, products: Readonly<Record<string, unknown>>): Promise<Ordered[]> {
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

/** The price of one at that quantity; null where the plan has none. */
function unitPrice({ prices }: StoredPlan, currency: Currency, count: number): number | null {
  const breaks = (prices === null ? {} : (JSON.parse(prices) as Prices))[currency] ?? [];
  const reached = breaks.filter(([from]) => from <= count).sort(([a], [b]) => b - a);
  return reached[0]?.[1] ?? null;
}

/** Sums of decimal prices are no binary fractions. */
const rounded = (sum: number) => Math.round(sum * 1e6) / 1e6;
