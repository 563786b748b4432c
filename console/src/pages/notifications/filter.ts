import type { Filter } from '@trackway/contract/operation.ts';
import { SEVERITIES } from '@trackway/contract/severities.ts';
import { startOfDay } from '../../format/times.ts';

export const PERIODS = ['all', 'today', 'week', 'month', 'custom'] as const;
export type Period = (typeof PERIODS)[number];
export const STATUSES = ['all', 'valid', 'suppressed', 'retracted'] as const;
export type Status = (typeof STATUSES)[number];
/** `action`: unacknowledged warnings and critical ones. */
export const VIEWS = ['all', 'action', 'unread'] as const;
export const ACKNOWLEDGEMENTS = ['all', 'open', 'done'] as const;
const ALL_SEVERITIES = ['all', ...SEVERITIES] as const;

export const NEEDS_ACTION = { dismissedOn: null, severity: { inq: ['warning', 'critical'] }, status: 'valid' };

/** The filter of the feed. It is in the address. */
export interface FeedFilter {
  readonly deviceId: number | undefined;
  readonly triggerId: number | undefined;
  readonly type: string;
  readonly period: Period;
  /** Days of the viewer's zone, of the period `custom`. */
  readonly from: string;
  readonly to: string;
  readonly status: Status;
  readonly severity: (typeof ALL_SEVERITIES)[number];
  readonly acknowledged: (typeof ACKNOWLEDGEMENTS)[number];
  readonly view: (typeof VIEWS)[number];
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
  severity: among(ALL_SEVERITIES, search.get('severity')),
  acknowledged: among(ACKNOWLEDGEMENTS, search.get('acknowledged')),
  view: among(VIEWS, search.get('view')),
  page: idOf(search.get('page')) ?? 0,
});

/** Any change of the filter starts at the first page. */
export function searchOf(now: URLSearchParams, change: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const next = new URLSearchParams(now);
  next.delete('page');
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined || value === '' || value === 'all') next.delete(key);
    else next.set(key, value);
  }
  return next;
}

/** The number of filters in use, the days of a custom period not counted. */
export const filtersInUse = ({ page: _, view: __, from: ___, to: ____, ...filter }: FeedFilter): number =>
  Object.values(filter).filter((value) => value !== undefined && value !== '' && value !== 'all').length;

/** One row more than a page, to know whether there is another page. */
export function queryOf(filter: FeedFilter, today: number): Filter {
  const { deviceId, triggerId, type, status, severity, acknowledged, view, page } = filter;
  const range = rangeOf(filter, today);
  const where = {
    ...(deviceId !== undefined && { deviceId }),
    ...(triggerId !== undefined && { triggerId }),
    ...(type && { 'params.type': type }),
    ...(status !== 'all' && { status }),
    ...(severity !== 'all' && { severity }),
    ...(acknowledged !== 'all' && { dismissedOn: acknowledged === 'open' ? null : { neq: null } }),
    ...(range && { timestamp: range }),
  };
  const ofView = view === 'action' ? NEEDS_ACTION : { unread: true, status: 'valid' };
  const both = view === 'all' ? where : Object.keys(where).length === 0 ? ofView : { and: [ofView, where] };
  return { where: both, order: ['timestamp DESC', 'id DESC'], limit: PAGE_ROWS + 1, skip: page * PAGE_ROWS };
}

function rangeOf({ period, from, to }: FeedFilter, today: number): Record<string, string> | undefined {
  const iso = (at: number) => new Date(at).toISOString();
  if (period === 'today') return { gte: iso(today) };
  if (period === 'week') return { gte: iso(today - 6 * DAY_MS) };
  if (period === 'month') return { gte: iso(today - 29 * DAY_MS) };
  if (period !== 'custom' || (!from && !to)) return undefined;
  // A day ends when the next one begins, even with a clock change.
  const next = to ? startOfDay(startOfDay(`${to}T12:00`).getTime() + 1.5 * DAY_MS).getTime() : undefined;
  return {
    ...(from && { gte: startOfDay(`${from}T12:00`).toISOString() }),
    ...(next !== undefined && { lt: iso(next) }),
  };
}
