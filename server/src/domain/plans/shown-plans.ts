import { type PlanSummaryEntry, plan as planNoun, SUMMARIZED_PLAN_FIELDS } from '@trackway/contract/resources/plan.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { presentRow, type Row, type TableShape } from '../../platform/storage/shape.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import { isoTime } from '../../platform/times.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store, Tables } from '../schema/tables.ts';

/** The active subscription of a device with its plan, for lists of devices. */
interface ActiveSubscription {
  readonly id: number;
  readonly deviceId: number;
  readonly userId: number;
  readonly planId: number;
  readonly created: string;
  readonly expires: string;
  readonly plan: Shown<typeof planNoun>;
}

const planShape = shapeOf(planNoun);
/** Maximum number of devices in one query. */
const AT_ONCE = 500;

/** The active subscriptions by device id; a device without one is absent. */
export async function activeSubscriptions(
  { query }: Pick<Workplace<Tables>, 'query'>,
  deviceIds: readonly number[],
  now: number,
): Promise<Map<number, ActiveSubscription>> {
  const found = new Map<number, ActiveSubscription>();
  const plans = new Map<number, Shown<typeof planNoun>>();
  for (let start = 0; start < deviceIds.length; start += AT_ONCE) {
    const rows = await query
      .selectFrom('subscriptions')
      .select(['id', 'deviceId', 'userId', 'planId', 'start', 'end'])
      .where('deviceId', 'in', deviceIds.slice(start, start + AT_ONCE))
      .where('end', '>', now)
      .orderBy('id')
      .execute();
    const unknown = [...new Set(rows.map(({ planId }) => planId))].filter((id) => !plans.has(id));
    if (unknown.length > 0)
      for (const row of await query.selectFrom('plans').selectAll().where('id', 'in', unknown).execute())
        plans.set(row.id, presentRow(planShape, row as object as Row));
    // The latest takes precedence, in the order of ids.
    for (const { id, deviceId, userId, planId, start: from, end } of rows) {
      const times = { created: isoTime(from), expires: isoTime(end) };
      found.set(deviceId, { id, deviceId, userId, planId, ...times, plan: plans.get(planId)! });
    }
  }
  return found;
}

/** The active subscription of a device as JSON text, for responses that include it. */
export const includedSubscription =
  (workplace: Pick<Workplace<Tables>, 'query'>) =>
  async (deviceId: number, _wanted: unknown, { now }: { readonly now: number }): Promise<string> =>
    JSON.stringify((await activeSubscriptions(workplace, [deviceId], now)).get(deviceId) ?? null);

/** A value of the active plan of the device `d`, as SQL with one parameter: the time. */
export const activePlanText = (value: string) => `(SELECT ${value} FROM "subscriptions" s
  JOIN "plans" p ON p."id" = s."planId" WHERE s."deviceId" = d."id" AND s."end" > ? ORDER BY s."id" DESC LIMIT 1)`;

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
