import type { Filter } from '@trackway/contract/operation.ts';

export const STATUSES = ['all', 'dead', 'queued', 'sent', 'suppressed', 'cancelled'] as const;
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
    status: STATUSES.includes(status) ? status : 'all',
    period: Object.hasOwn(PERIODS, period ?? '') ? period : 'month',
    destination: Number(search.get('destination')) || undefined,
    page: Math.max(0, Number(search.get('page')) || 0),
  };
}

/** What is on its way waits as well, to anyone who looks. */
const WAITING = ['queued', 'sending'];
/** What did not arrive: given up, or still waiting. */
const OPEN = ['dead', ...WAITING];

/**
 * Where all are wanted, those that did not arrive stand in a list of their own above.
 * @param minute the present, rounded so that the same question has the same key for a while
 */
export function filterOf(wanted: Wanted, minute: number): Filter {
  const { status, page } = wanted;
  const statuses = status === 'all' ? { nin: OPEN } : status === 'queued' ? { inq: WAITING } : status;
  return { where: whereOf(wanted, minute, statuses), order: 'id DESC', limit: PAGE + 1, skip: page * PAGE };
}

/** What did not arrive, given up before waiting. */
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
