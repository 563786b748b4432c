import { BY_DAYS, type ReportTurn, type SavedPeriod } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import { momentOfWall, wallOf } from '../../platform/times.ts';
import type { Span } from '../motion/activity.ts';

/** When a report is mailed, and its time range: local days and times of a zone. Pure. */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** The first day of the epoch was a Thursday. */
const THURSDAY = 4;
/** Maximum number of days between two mails. */
const LONGEST_DAYS = 32;

interface Schedule {
  readonly every: ReportTurn;
  /** As "07:00". */
  readonly time: string;
  readonly weekday: number;
  readonly monthday: number;
}

/** Local midnight, as if it were UTC. */
const midnightOf = (tz: string, at: number) => Math.floor(wallOf(tz, at) / DAY_MS) * DAY_MS;
const weekdayOf = (midnight: number) => (midnight / DAY_MS + THURSDAY) % 7;

function isOn({ every, weekday, monthday }: Schedule, midnight: number): boolean {
  if (every === 'week') return weekdayOf(midnight) === weekday;
  return every === 'day' || (every === 'month' && new Date(midnight).getUTCDate() === monthday);
}

/** The first time after a moment; undefined if there is none. */
export const nextTime = (schedule: Schedule, tz: string, after: number): number | undefined =>
  timeFrom(schedule, tz, after, 1, (at) => at > after);

/** The last time until a moment. */
export const lastTime = (schedule: Schedule, tz: string, until: number): number | undefined =>
  timeFrom(schedule, tz, until, -1, (at) => at <= until);

function timeFrom(
  schedule: Schedule,
  tz: string,
  from: number,
  step: 1 | -1,
  isIt: (at: number) => boolean,
): number | undefined {
  const [hours, minutes] = schedule.time.split(':').map(Number) as [number, number];
  const today = midnightOf(tz, from);
  for (let days = -1; days <= LONGEST_DAYS; days++) {
    const midnight = today + step * days * DAY_MS;
    if (!isOn(schedule, midnight)) continue;
    const at = momentOfWall(tz, midnight + (hours * 60 + minutes) * MINUTE_MS);
    if (isIt(at)) return at;
  }
  return undefined;
}

interface ReportDays {
  readonly period: SavedPeriod;
  /** Fixed days, such as "2026-06-01". */
  readonly firstDay?: string | null;
  readonly lastDay?: string | null;
}

/** The midnight at the start of a day, as if it were UTC; undefined for an invalid day. */
export function midnightOfDay(day: string): number | undefined {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // 30 February does not exist: some engines read it as 1 March.
  return Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day ? undefined : midnight;
}

/** The time range of a report that is generated at a moment. */
export function rangeOfPeriod({ period, firstDay, lastDay }: ReportDays, tz: string, at: number): Span {
  const today = midnightOf(tz, at);
  const day = (days: number) => momentOfWall(tz, today + days * DAY_MS);
  const date = new Date(today);
  const month = (months: number) => momentOfWall(tz, Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
  /** Days since Monday. */
  const monday = (weekdayOf(today) + 6) % 7;
  switch (period) {
    case 'today':
      return { from: day(0), to: day(1) };
    case 'yesterday':
      return { from: day(-1), to: day(0) };
    case 'week':
      return { from: day(-6), to: day(1) };
    case 'lastWeek':
      return { from: day(-monday - 7), to: day(-monday) };
    case 'month':
      return { from: month(0), to: month(1) };
    case 'lastMonth':
      return { from: month(-1), to: month(0) };
    case BY_DAYS: {
      const [first, last] = [midnightOfDay(firstDay ?? ''), midnightOfDay(lastDay ?? '')];
      if (first === undefined || last === undefined) throw new Error('A report of certain days has no days.');
      return { from: momentOfWall(tz, first), to: momentOfWall(tz, last + DAY_MS) };
    }
  }
}
