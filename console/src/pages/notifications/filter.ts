import type { Filter } from '@trackway/contract/operation.ts';
import { startOfDay } from '../../format/times.ts';

export const PERIODS = ['all', 'today', 'week', 'month', 'custom'] as const;
export type Period = (typeof PERIODS)[number];
export const STATUSES = ['all', 'valid', 'suppressed', 'retracted'] as const;
export type Status = (typeof STATUSES)[number];

/** What of the feed is shown. It stands in the address. */
export interface FeedFilter {
  readonly deviceId: number | undefined;
  readonly triggerId: number | undefined;
  readonly type: string;
  readonly period: Period;
  /** Days of the viewer's zone, of the period `custom`. */
  readonly from: string;
  readonly to: string;
  readonly status: Status;
  readonly page: number;
}

export const PAGE_ROWS = 50;
const DAY_MS = 86_400_000;

const among = <T extends string>(members: readonly T[], value: string | null): T =>
  members.find((member) => member === value) ?? members[0]!;
const idOf = (value: string | null) => (value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined);
const dayOf = (value: string | null) => (value !== null && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : '');

export const filterOf = (search: URLSearchParams): FeedFilter => ({
  deviceId: idOf(search.get('device')),
  triggerId: idOf(search.get('trigger')),
  type: search.get('type') ?? '',
  period: among(PERIODS, search.get('period')),
  from: dayOf(search.get('from')),
  to: dayOf(search.get('to')),
  status: among(STATUSES, search.get('status')),
  page: idOf(search.get('page')) ?? 0,
});

/** Any change of what is looked for starts at the first page. */
export function searchOf(now: URLSearchParams, change: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const next = new URLSearchParams(now);
  next.delete('page');
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined || value === '' || value === 'all') next.delete(key);
    else next.set(key, value);
  }
  return next;
}

export const isNarrowed = ({ page: _, ...filter }: FeedFilter) =>
  Object.values(filter).some((value) => value !== undefined && value !== '' && value !== 'all');

/** One row more than a page, to know whether there is another. */
export function queryOf(filter: FeedFilter, today: number): Filter {
  const { deviceId, triggerId, type, status, page } = filter;
  const range = rangeOf(filter, today);
  const where = {
    ...(deviceId !== undefined && { deviceId }),
    ...(triggerId !== undefined && { triggerId }),
    ...(type && { 'params.type': type }),
    ...(status !== 'all' && { status }),
    ...(range && { timestamp: range }),
  };
  return { where, order: ['timestamp DESC', 'id DESC'], limit: PAGE_ROWS + 1, skip: page * PAGE_ROWS };
}

function rangeOf({ period, from, to }: FeedFilter, today: number): Record<string, string> | undefined {
  const iso = (at: number) => new Date(at).toISOString();
  if (period === 'today') return { gte: iso(today) };
  if (period === 'week') return { gte: iso(today - 6 * DAY_MS) };
  if (period === 'month') return { gte: iso(today - 29 * DAY_MS) };
  if (period !== 'custom' || (!from && !to)) return undefined;
  // A day lasts until the next one begins, however long it is.
  const next = to ? startOfDay(startOfDay(`${to}T12:00`).getTime() + 1.5 * DAY_MS).getTime() : undefined;
  return {
    ...(from && { gte: startOfDay(`${from}T12:00`).toISOString() }),
    ...(next !== undefined && { lt: iso(next) }),
  };
}
