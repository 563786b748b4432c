import type { ORDER_PLAN_SORTABLE } from '@trackway/contract/resources/v2/plan-v2.ts';
import { sql } from 'kysely';
import type { Store, Tx } from '../schema/tables.ts';
import { type CreditRange, creditRanges } from './credits.ts';

/** The credits of a user one by one. Unused ones have no rows: their pages are computed from the ranges of numbers. */

export type OrderPlanSort = (typeof ORDER_PLAN_SORTABLE)[number];

export interface WantedCredits {
  /** Used or unused ones; undefined: both. */
  readonly consumed?: boolean;
  readonly planIds?: readonly number[];
  readonly deviceIds?: readonly number[];
  /** Range of the time of use, both ends inclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly sort?: OrderPlanSort;
  readonly direction?: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** One credit, with times in milliseconds. */
export interface OneCredit {
  readonly id: number;
  readonly planId: number;
  readonly orderId: number;
  readonly deviceId: number | null;
  readonly consumedOn: number | null;
  readonly removedOn: number | null;
}

/** A run of entries in the order of the list: used ones, which have rows, or consecutive unused numbers. */
type Run = { readonly used: number } | { readonly range: CreditRange; readonly from: number; readonly count: number };

export async function creditsOf(
  store: Store,
  userId: number,
  wanted: WantedCredits,
): Promise<{ readonly credits: OneCredit[]; readonly total: number }> {
  const ranges = await creditRanges(store.query, userId, wanted.planIds);
  const runs = await runsOf(store.query, userId, wanted, ranges);
  const total = runs.reduce((sum, run) => sum + lengthOf(run), 0);
  return { credits: await pageOf(store.query, userId, wanted, ranges, runs), total };
}

const lengthOf = (run: Run) => ('used' in run ? run.used : run.count);

async function runsOf(on: Tx, userId: number, wanted: WantedCredits, ranges: readonly CreditRange[]): Promise<Run[]> {
  const { sort = 'id', direction = 'asc', consumed, deviceIds, since, until } = wanted;
  const isOfUse = deviceIds !== undefined || since !== undefined || until !== undefined;
  const used = consumed === false ? new Map() : await usedByRange(on, userId, wanted, ranges);
  const usedIn = ({ id }: CreditRange, which: keyof Uses = 'all'): Run => ({ used: used.get(id)?.[which] ?? 0 });
  const unusedIn = (range: CreditRange): Run => ({
    range,
    from: range.firstNumber + range.used,
    count: consumed === true || isOfUse ? 0 : range.count - range.used,
  });

  if (sort === 'id') {
    const runs = ranges.flatMap((range) => [usedIn(range), unusedIn(range)]);
    return direction === 'asc' ? runs : runs.reverse();
  }
  if (sort === 'planId') {
    const sign = direction === 'asc' ? 1 : -1;
    return ranges
      .toSorted((a, b) => sign * (a.planId - b.planId) || a.id - b.id)
      .flatMap((range) => [usedIn(range), unusedIn(range)]);
  }
  // Null values come first, or last in descending order; ties are ordered by number.
  const isRemoval = sort === 'removedOn';
  const without = ranges.flatMap((range) => (isRemoval ? [usedIn(range, 'kept'), unusedIn(range)] : [unusedIn(range)]));
  const withValue = [...used.values()].reduce((sum, { all, kept }) => sum + all - (isRemoval ? kept : 0), 0);
  return direction === 'asc' ? [...without, { used: withValue }] : [{ used: withValue }, ...without];
}

/** The number of used credits of a range to include; `kept`: credits that were not ended early. */
interface Uses {
  readonly all: number;
  readonly kept: number;
}

async function usedByRange(
  on: Tx,
  userId: number,
  wanted: WantedCredits,
  ranges: readonly CreditRange[],
): Promise<Map<number, Uses>> {
  const { deviceIds, since, until, sort } = wanted;
  if (deviceIds === undefined && since === undefined && until === undefined && sort !== 'removedOn')
    return new Map(ranges.map(({ id, used }) => [id, { all: used, kept: 0 }]));
  const rows = await wantedUses(on, userId, wanted)
    .innerJoin('planCredits as c', (join) =>
      join
        .onRef('c.userId', '=', 's.userId')
        .onRef('c.planId', '=', 's.planId')
        .onRef('c.firstNumber', '<=', 's.creditNumber')
        .on(sql<boolean>`"s"."creditNumber" < "c"."firstNumber" + "c"."count"`),
    )
    .select((of) => ['c.id', of.fn.countAll<number>().as('all'), of.fn.count<number>('s.removedAt').as('removed')])
    .groupBy('c.id')
    .execute();
  return new Map(rows.map(({ id, all, removed }) => [id, { all: Number(all), kept: Number(all) - Number(removed) }]));
}

function wantedUses(on: Tx, userId: number, { planIds, deviceIds, since, until }: WantedCredits) {
  let uses = on.selectFrom('subscriptions as s').where('s.userId', '=', userId).where('s.creditNumber', 'is not', null);
  if (planIds !== undefined) uses = uses.where('s.planId', 'in', [...planIds]);
  if (deviceIds !== undefined) uses = uses.where('s.deviceId', 'in', [...deviceIds]);
  if (since !== undefined) uses = uses.where('s.start', '>=', since);
  if (until !== undefined) uses = uses.where('s.start', '<=', until);
  return uses;
}

const COLUMNS = {
  planId: 's.planId',
  deviceId: 's.deviceId',
  consumedOn: 's.start',
  removedOn: 's.removedAt',
} as const;

/** Iterates over the runs; the rows of all used ones within the page are read in one query. */
async function pageOf(
  on: Tx,
  userId: number,
  wanted: WantedCredits,
  ranges: readonly CreditRange[],
  runs: readonly Run[],
): Promise<OneCredit[]> {
  const { sort = 'id', direction = 'asc', offset, limit } = wanted;
  const isBackward = sort === 'id' && direction === 'desc';
  const page: (OneCredit | 'use')[] = [];
  let skipped = 0;
  let usesBefore = 0;
  let uses = 0;
  for (const run of runs) {
    if (page.length >= limit) break;
    const length = lengthOf(run);
    const begin = Math.min(length, Math.max(0, offset - skipped));
    const end = Math.min(length, begin + limit - page.length);
    skipped += begin;
    for (let index = begin; index < end; index++) {
      if ('used' in run) page.push('use');
      else page.push(unused(run.range, isBackward ? run.from + run.count - 1 - index : run.from + index));
    }
    if ('used' in run) {
      usesBefore += begin;
      uses += end - begin;
    }
  }
  if (uses === 0) return page as OneCredit[];
  let rows = wantedUses(on, userId, wanted).select([
    's.creditNumber',
    's.planId',
    's.deviceId',
    's.start',
    's.removedAt',
  ]);
  if (sort === 'removedOn') rows = rows.orderBy(sql`CASE WHEN "s"."removedAt" IS NULL THEN 0 ELSE 1 END`, direction);
  if (sort !== 'id') rows = rows.orderBy(COLUMNS[sort], direction);
  const read = await rows
    .orderBy('s.creditNumber', isBackward ? 'desc' : 'asc')
    .limit(uses)
    .offset(usesBefore)
    .execute();
  const next = read.values();
  return page.flatMap((entry) => {
    if (entry !== 'use') return [entry];
    const use = next.next().value;
    // Deleted since it was counted.
    if (use === undefined) return [];
    const { planId, deviceId, start, removedAt } = use;
    const id = use.creditNumber!;
    return [{ id, planId, orderId: rangeOf(ranges, id).id, deviceId, consumedOn: start, removedOn: removedAt }];
  });
}

const unused = ({ id: orderId, planId }: CreditRange, id: number): OneCredit => ({
  id,
  planId,
  orderId,
  deviceId: null,
  consumedOn: null,
  removedOn: null,
});

/** The range of a number; ranges are ordered by number. */
function rangeOf(ranges: readonly CreditRange[], number: number): CreditRange {
  let low = 0;
  let high = ranges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ranges[middle]!.firstNumber <= number) low = middle;
    else high = middle - 1;
  }
  return ranges[low]!;
}
