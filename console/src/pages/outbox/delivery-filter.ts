import type { Filter } from '@trackway/contract/operation.ts';

export const STATUSES = ['all', 'dead', 'queued', 'sent', 'suppressed', 'cancelled'] as const;
export type Status = (typeof STATUSES)[number];
export const PERIODS = { hour: 3600, day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;
export type Period = keyof typeof PERIODS;
export const PAGE = 30;

/** The filter in the address. */
export interface Wanted {
  readonly status: Status;
  readonly period: Period;
  readonly destination: number | undefined;
  readonly page: number;
}

export function wantedOf(search: URLSearchParams): Wanted {
  const status = search.get('status') as Status;
  const period = search.get('period') as Period;
  return {
    status: STATUSES.includes(status) ? status : 'all',
    period: Object.hasOwn(PERIODS, period ?? '') ? period : 'month',
    destination: Number(search.get('destination')) || undefined,
    page: Math.max(0, Number(search.get('page')) || 0),
  };
}

/** Deliveries in progress count as waiting, too. */
const WAITING = ['queued', 'sending'];
/** Deliveries that did not arrive: given up, or still waiting. */
const OPEN = ['dead', ...WAITING];

/**
 * Without a filter, undelivered ones are in a separate list above.
 * @param minute the current time, rounded so that the cache key stays the same for a while
 */
export function filterOf(wanted: Wanted, minute: number): Filter {
  const { status, page } = wanted;
  const statuses = status === 'all' ? { nin: OPEN } : status === 'queued' ? { inq: WAITING } : status;
  return { where: whereOf(wanted, minute, statuses), order: 'id DESC', limit: PAGE + 1, skip: page * PAGE };
}

/** Undelivered ones, given up before waiting. */
export const openFilterOf = (wanted: Wanted, minute: number): Filter => ({
  where: whereOf(wanted, minute, { inq: OPEN }),
  order: ['status ASC', 'id DESC'],
  limit: PAGE + 1,
});

const whereOf = ({ period, destination }: Wanted, minute: number, status: unknown) => ({
  created: { gte: new Date(minute - PERIODS[period] * 1000).toISOString() },
  status,
  ...(destination !== undefined && { destinationId: destination }),
});
