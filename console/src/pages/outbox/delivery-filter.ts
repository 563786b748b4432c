import type { Filter } from '@trackway/contract/operation.ts';

export const STATUSES = ['dead', 'queued', 'sent', 'suppressed', 'cancelled', 'all'] as const;
export type Status = (typeof STATUSES)[number];
export const PERIODS = { hour: 3600, day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;
export type Period = keyof typeof PERIODS;
export const PAGE = 30;

/** What the address asks for. */
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
    status: STATUSES.includes(status) ? status : 'dead',
    period: Object.hasOwn(PERIODS, period ?? '') ? period : 'month',
    destination: Number(search.get('destination')) || undefined,
    page: Math.max(0, Number(search.get('page')) || 0),
  };
}

/** `minute`: the present, rounded so that the same question has the same key for a while. */
export function filterOf({ status, period, destination, page }: Wanted, minute: number): Filter {
  const since = new Date(minute - PERIODS[period] * 1000).toISOString();
  return {
    where: {
      created: { gte: since },
      // What is on its way waits as well, to anyone who looks.
      ...(status === 'queued' ? { status: { inq: ['queued', 'sending'] } } : status !== 'all' && { status }),
      ...(destination !== undefined && { destinationId: destination }),
    },
    order: 'id DESC',
    limit: PAGE + 1,
    skip: page * PAGE,
  };
}
