import { REPORT_PERIODS, type ReportPeriod } from '@trackway/contract/resources/fleet-tools/saved-report.ts';

/** The periods that can be chosen, from midnight to midnight by the viewer's clock. */
export const PERIODS = REPORT_PERIODS;
export type Period = ReportPeriod;

export interface PeriodRange {
  readonly from: Date;
  readonly to: Date;
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
