import type { FleetReportKind, ReportFileFormat } from '@trackway/contract/resources/fleet-report.ts';
import type { ReportTurn, SavedPeriod } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
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
  period: SavedPeriod;
  /** As "2026-06-01"; null where the period is no certain days. */
  firstDay: string | null;
  lastDay: string | null;
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
