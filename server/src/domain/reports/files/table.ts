import { type FleetReportKind, REPORT_COLUMNS, type ReportColumn } from '@trackway/contract/resources/fleet-report.ts';
import type { Language } from '@trackway/contract/wording/languages.ts';
import { columnLabel } from '@trackway/contract/wording/reports/column-label.ts';
import { REPORT_WORDS } from '@trackway/contract/wording/reports/report-wordings.ts';
import type { FleetReportRow } from '../report-row.ts';

/** A report as the head and the rows of a file: plain figures in one unit each, which stands in the head. */

/** A time in epoch milliseconds. */
export interface TimeCell {
  readonly time: number;
}
export type ReportCell = string | number | TimeCell | null;

export interface ReportTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly ReportCell[])[];
}

export interface TableWanted {
  readonly kind: FleetReportKind;
  /** Those of the kind, in their order, if absent. */
  readonly columns?: readonly string[];
  readonly language: Language;
}

const UNITS: Partial<Record<ReportColumn, string>> = {
  distance: 'm',
  duration: 's',
  idle: 's',
  driving: 's',
  standing: 's',
  ignition: 's',
  maxSpeed: 'km/h',
  limit: 'km/h',
  share: '%',
};
/** Readings are as they were measured, all others are whole. */
const EXACT: ReadonlySet<ReportColumn> = new Set(['min', 'mean', 'max', 'limit']);

/** The columns of a kind that are wanted, in their order. */
export const columnsOf = ({ kind, columns }: Pick<TableWanted, 'kind' | 'columns'>): ReportColumn[] =>
  (REPORT_COLUMNS[kind] as readonly ReportColumn[]).filter((column) => columns?.includes(column) ?? true);

export function tableOf(wanted: TableWanted, rows: readonly FleetReportRow[]): ReportTable {
  const columns = columnsOf(wanted);
  return {
    head: columns.flatMap((column) => headsOf(wanted, column)),
    rows: rows.map((row) => columns.flatMap((column) => cellsOf(row, column, wanted))),
  };
}

function headsOf({ kind, language }: TableWanted, column: ReportColumn): string[] {
  const label = columnLabel(REPORT_WORDS[language], kind, column);
  if (column === 'startLocation' || column === 'endLocation') return [`${label} lat`, `${label} lng`];
  const unit = UNITS[column];
  return [unit === undefined ? label : `${label} (${unit})`];
}

function cellsOf(row: FleetReportRow, column: ReportColumn, { language }: TableWanted): ReportCell[] {
  const words = REPORT_WORDS[language];
  switch (column) {
    case 'name':
      return [row.name || words.unnamedDevice(row.deviceId)];
    case 'fence':
      return [row.fence || words.unnamedFence(row.fenceId!)];
    case 'type':
      return [words.directions[row.type as 'toDevice'] ?? row.type ?? null];
    case 'start':
    case 'end':
      return [row[column] === null ? null : { time: row[column] }];
    case 'startLocation':
    case 'endLocation':
      return [row[column]?.lat ?? null, row[column]?.lng ?? null];
    case 'share':
      return [Math.round((row.share ?? 0) * 1000) / 10];
    default: {
      const value = row[column] ?? null;
      return [typeof value === 'number' && !EXACT.has(column) ? Math.round(value) : value];
    }
  }
}
