import type { AnswerOf, QueryOf } from '@trackway/contract/operations.ts';
import { parseTime } from '@trackway/contract/values.ts';
import { isoTime } from '../../platform/iso-time.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { pageAnswer, pagedBy } from '../pages.ts';
import type { Store } from '../schema/tables.ts';
import { creditsOf, type OneCredit, type OrderPlanSort } from './order-plans.ts';
import { presentPlan } from './summary.ts';

type CreditPage = AnswerOf<'listOrderPlans'>;

/** Credits one by one, as version 2 lists them. */
export async function creditPage(store: Store, userId: number, asked: QueryOf<'listOrderPlans'>): Promise<CreditPage> {
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
