import { AUDIT_ACTIONS, type AuditAction } from '@trackway/contract/audit.ts';

/** The filter of the audit trail, as in the address. */
export interface AuditFilter {
  readonly action: AuditAction | '';
  readonly userId: number | undefined;
  readonly deviceId: number | undefined;
  /** Days, such as 2026-06-01. */
  readonly from: string;
  readonly to: string;
  readonly page: number;
}

export const PAGE = 50;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function filterIn(search: URLSearchParams): AuditFilter {
  const action = search.get('action') ?? '';
  const dayIn = (name: string) => (DAY.test(search.get(name) ?? '') ? search.get(name)! : '');
  return {
    action: AUDIT_ACTIONS.find((one) => one === action) ?? '',
    userId: idIn(search.get('user')),
    deviceId: idIn(search.get('device')),
    from: dayIn('from'),
    to: dayIn('to'),
    page: Math.max(0, Math.floor(Number(search.get('page') ?? 0)) || 0),
  };
}

const idIn = (text: string | null) => (text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined);

export const filtersInUse = ({ action, userId, deviceId, from, to }: AuditFilter): number =>
  [action, userId, deviceId, from || to].filter(Boolean).length;

/** The times of the selected days, in the time zone of the viewer: `to` is the end of its day. */
export function rangeOf({ from, to }: Pick<AuditFilter, 'from' | 'to'>): { from?: string; to?: string } {
  const start = (day: string, later = 0) => {
    const [year, month, date] = day.split('-').map(Number) as [number, number, number];
    return new Date(year, month - 1, date + later).toISOString();
  };
  return { ...(from && { from: start(from) }), ...(to && { to: start(to, 1) }) };
}

/** The request: one entry more than a page, to know whether there is another page. */
export function askedBy(filter: AuditFilter) {
  const { from, to } = rangeOf(filter);
  const and: Record<string, unknown>[] = [];
  if (filter.action) and.push({ action: filter.action });
  if (filter.userId) and.push({ or: [{ userId: filter.userId }, { actorId: filter.userId }] });
  if (filter.deviceId) and.push({ deviceId: filter.deviceId });
  if (from) and.push({ at: { gte: from } });
  if (to) and.push({ at: { lt: to } });
  return { ...(and.length > 0 && { where: { and } }), order: 'id DESC', limit: PAGE + 1, skip: filter.page * PAGE };
}
