import type { FleetReportKind, ReportFileFormat } from '@trackway/contract/resources/fleet-report.ts';
import type { ReportPeriod, ReportTurn } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import type { Identified } from './identified.ts';

export interface SavedReportRow extends Identified {
  userId: number;
  name: string;
  kind: FleetReportKind;
  deviceIds: string | null;
  groupId: number | null;
  tag: string | null;
  fenceIds: string | null;
  limit: number | null;
  period: ReportPeriod;
  columns: string | null;
  format: ReportFileFormat;
  every: ReportTurn;
  time: string;
  weekday: number;
  monthday: number;
  timeZone: string | null;
  /** Null where it is never mailed by itself. */
  nextAt: number | null;
  lastAt: number | null;
  lastResult: string | null;
  created: number;
}
