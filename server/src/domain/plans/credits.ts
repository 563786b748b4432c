import type { Tx } from '../schema/tables.ts';

/**
 * Each credit has a number that stays when it is used. A row of credits owns consecutive numbers of one sequence for
 * the whole server, so that a million credits are one row. They are used in ascending order, oldest row first: the
 * unused ones of a row are the end of its range.
 */
export interface CreditRange {
  readonly id: number;
  readonly planId: number;
  readonly firstNumber: number;
  readonly count: number;
  /** The number of used ones, from the first on. */
  readonly used: number;
}

/**
 * Reserves this many numbers and returns the first. Called before the row is inserted, so that rows and numbers have
 * the same order.
 */
export async function takeNumbers(tx: Tx, count: number): Promise<number> {
  const { next } = await tx
    .updateTable('creditNumbers')
    .set((of) => ({ next: of('next', '+', count) }))
    .where('id', '=', 1)
    .returning('next')
    .executeTakeFirstOrThrow();
  return next - count;
}

/** The user's credits ordered by number. */
export async function creditRanges(on: Tx, userId: number, planIds?: readonly number[]): Promise<CreditRange[]> {
  let given = on
    .selectFrom('planCredits')
    .select(['id', 'planId', 'firstNumber', 'count'])
    .where('userId', '=', userId);
  let spent = on
    .selectFrom('subscriptions')
    .select(['planId', (of) => of.fn.countAll<number>().as('used')])
    .where('userId', '=', userId)
    .where('creditNumber', 'is not', null);
  if (planIds !== undefined) {
    given = given.where('planId', 'in', [...planIds]);
    spent = spent.where('planId', 'in', [...planIds]);
  }
  const left = new Map((await spent.groupBy('planId').execute()).map(({ planId, used }) => [planId, Number(used)]));
  const ranges: CreditRange[] = [];
  for (const row of await given.orderBy('id').execute()) {
    const used = Math.min(row.count, left.get(row.planId) ?? 0);
    left.set(row.planId, (left.get(row.planId) ?? 0) - used);
    ranges.push({ ...row, used });
  }
  return ranges;
}

/**
 * The number of the next credit to use; undefined if there is none. Locked until the transaction ends, so that each
 * number is used once.
 */
export async function nextCredit(tx: Tx, userId: number, planId: number): Promise<number | undefined> {
  await tx
    .updateTable('users')
    .set(({ ref }) => ({ created: ref('created') }))
    .where('id', '=', userId)
    .execute();
  const range = (await creditRanges(tx, userId, [planId])).find(({ used, count }) => used < count);
  return range && range.firstNumber + range.used;
}
