import { plan as planNoun } from '@trackway/contract/resources/plan.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { isoTime } from '../../platform/iso-time.ts';
import { presentRow, type Row } from '../../platform/storage/shape.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Tables } from '../schema/tables.ts';

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
