import { MOST_REPORT_DAYS } from '@trackway/contract/resources/fleet-report.ts';
import { REPORT_PERIODS, type ReportPeriod } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import { dayKey } from '../../format/times.ts';

/** The available periods, from midnight to midnight in the viewer's zone. */
export const PERIODS = REPORT_PERIODS;
export type Period = ReportPeriod;

export interface PeriodRange {
  readonly from: Date;
  readonly to: Date;
}

/** Whole days as in date inputs, the last one included. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;

/** From midnight of the first day to midnight after the last day, in the viewer's zone. */
export function rangeOfDays({ from, to }: DayRange): PeriodRange {
  const [end, start] = [new Date(`${to}T00:00`), new Date(`${from}T00:00`)];
  end.setDate(end.getDate() + 1);
  return { from: start, to: end };
}

export function daysOfPeriod(period: Period, now: Date): DayRange {
  const { from, to } = rangeOfPeriod(period, now);
  return { from: dayKey(from), to: dayKey(to.getTime() - 1) };
}

export type RangeProblem = 'backwards' | 'tooLong';

/** Why no report is possible for these days. */
export function problemOfDays(days: DayRange): RangeProblem | undefined {
  const { from, to } = rangeOfDays(days);
  if (to <= from) return 'backwards';
  return to.getTime() - from.getTime() > MOST_REPORT_DAYS * DAY_MS ? 'tooLong' : undefined;
}

export function rangeOfPeriod(period: Period, now: Date): PeriodRange {
  const day = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  const month = (months: number) => new Date(now.getFullYear(), now.getMonth() + months, 1);
  switch (period) {
    case 'today':
      return { from: day(0), to: day(1) };
    case 'yesterday':
      return { from: day(-1), to: day(0) };
    case 'week':
      return { from: day(-6), to: day(1) };
    case 'lastWeek': {
      // From Monday to Sunday.
      const monday = -((now.getDay() + 6) % 7);
      return { from: day(monday - 7), to: day(monday) };
    }
    case 'month':
      return { from: month(0), to: month(1) };
    case 'lastMonth':
      return { from: month(-1), to: month(0) };
  }
}
