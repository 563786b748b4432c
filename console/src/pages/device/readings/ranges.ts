import { dayKey, startOfDay } from '../../../format/times.ts';

/** The shown time range: one of a few lengths up to now, or selected days. */
export type RangeName = '24h' | '7d' | '30d' | 'own';

const HOUR_MS = 3_600_000;
const LENGTHS: Record<Exclude<RangeName, 'own'>, number> = {
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
  '30d': 720 * HOUR_MS,
};
/** Rounds the end of the range, so that it does not change with each rendering. */
const GRAIN_MS = 60_000;

export interface TimeRange {
  readonly name: RangeName;
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  /** The days of a custom range, as in the inputs. */
  readonly days: { readonly from: string; readonly to: string };
}

/** The range in an address: `range=7d`, or `from=2026-11-01&to=2026-11-03`. */
export function rangeIn(search: URLSearchParams, now: number): TimeRange {
  const asked = search.get('range');
  const from = startOf(search.get('from'));
  const to = startOf(search.get('to'));
  const end = Math.ceil(now / GRAIN_MS) * GRAIN_MS;
  if (from !== undefined && to !== undefined && from <= to) {
    const lastDay = new Date(to);
    lastDay.setDate(lastDay.getDate() + 1);
    return { name: 'own', from, to: lastDay.getTime(), days: { from: dayKey(from), to: dayKey(to) } };
  }
  const name = asked === '24h' || asked === '30d' ? asked : '7d';
  const begin = end - LENGTHS[name];
  return { name, from: begin, to: end, days: { from: dayKey(begin), to: dayKey(end) } };
}

function startOf(day: string | null): number | undefined {
  if (day === null || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const at = new Date(`${day}T12:00`).getTime();
  return Number.isNaN(at) ? undefined : startOfDay(at).getTime();
}
