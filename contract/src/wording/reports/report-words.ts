import type { FleetReportKind, ReportColumn } from '../../resources/fleet-report.ts';

/** What the kinds of reports and their columns are called. */
export interface ReportWords {
  readonly kinds: Readonly<Record<FleetReportKind, string>>;
  /** `location` is where a stop is, `first` and `last` are when something was counted. */
  readonly columns: Readonly<Record<ReportColumn | 'location' | 'first' | 'last', string>>;
  readonly directions: Readonly<Record<'toDevice' | 'fromDevice', string>>;
  readonly unnamedDevice: (id: number) => string;
  readonly unnamedFence: (id: number) => string;
  /** The last line of a file that lacks rows. */
  readonly cut: (rows: number) => string;
}
