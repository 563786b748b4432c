import { type PlanSummaryEntry, plan as planNoun, SUMMARIZED_PLAN_FIELDS } from '@trackway/contract/resources/plan.ts';
import { presentRow, type Row, type TableShape } from '../../platform/storage/shape.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';

const shape: TableShape<PlanSummaryEntry['plan']> = shapeOf(planNoun).filter(({ name }) =>
  SUMMARIZED_PLAN_FIELDS.includes(name),
);

/** A plan in version 2 and in the summary, without its `days`. */
export const presentPlan = (row: Row): PlanSummaryEntry['plan'] => presentRow(shape, row);

/**
 * One entry for each plan, if the user has credits of the requested kind for it. A subscription is a used credit, so
 * the number of unused ones is the number of given credits minus all subscriptions ever made. A deleted device has no
 * row in `deviceKeys`.
 */
export function planSummary(store: Store) {
  const credits = store.prepare<{ planId: number; given: number; used: number; active: number }>(
    'plans.summary',
    `SELECT p."id" AS "planId",
       CAST((SELECT COALESCE(SUM(c."count"), 0) FROM "planCredits" c WHERE c."userId" = ? AND c."planId" = p."id") AS BIGINT) AS "given",
       (SELECT COUNT(*) FROM "subscriptions" s WHERE s."userId" = ? AND s."planId" = p."id") AS "used",
       (SELECT COUNT(DISTINCT s."deviceId") FROM "subscriptions" s JOIN "deviceKeys" d ON d."deviceId" = s."deviceId"
        WHERE s."userId" = ? AND s."planId" = p."id" AND s."start" <= ? AND s."end" > ?) AS "active"
     FROM "plans" p
     WHERE p."id" IN (SELECT "planId" FROM "planCredits" WHERE "userId" = ?)
     ORDER BY p."id"`,
  );
  const planById = store.prepare<Row>(
    'plans.summarized',
    `SELECT ${shape.map(({ name }) => `"${name}"`).join(', ')} FROM "plans" WHERE "id" = ?`,
  );

  return async (userId: number, consumed: boolean, now: number): Promise<PlanSummaryEntry[]> => {
    const entries: PlanSummaryEntry[] = [];
    for (const { planId, given, used, active } of await credits.all(userId, userId, userId, now, now, userId)) {
      const count = consumed ? used : given - used;
      const plan = await planById.get(planId);
      if (count > 0 && plan) entries.push({ count, subscriptions: active, plan: presentPlan(plan) });
    }
    return entries;
  };
}
