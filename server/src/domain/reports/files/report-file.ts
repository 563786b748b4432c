import type { ReportFileFormat } from '@trackway/contract/resources/fleet-report.ts';
import { REPORT_WORDS } from '@trackway/contract/wording/reports/report-wordings.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';
import { type FleetReport, type FleetReportMade, fleetReport } from '../fleet-report.ts';
import type { FleetReportWanted } from '../report-row.ts';
import { csvOf } from './csv.ts';
import { type ReportTable, type TableWanted, tableOf } from './table.ts';
import { xlsxOf } from './xlsx.ts';

export interface ReportFileWanted extends FleetReportWanted, Pick<TableWanted, 'columns' | 'language' | 'units'> {
  readonly format: ReportFileFormat;
  /** How many rows of the table are wanted besides the file. */
  readonly shown: number;
}

export interface ReportFile extends Omit<FleetReport, 'rows'> {
  readonly bytes: Uint8Array;
  readonly rowCount: number;
  readonly table: ReportTable;
}

export const FILE_TYPES: Readonly<Record<ReportFileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** A report as a file, made on a thread apart. */
export const reportFile = defineReadWork(
  import.meta.url,
  async (
    workplace: Workplace<Tables>,
    wanted: ReportFileWanted,
  ): Promise<ReportFile | Exclude<FleetReportMade, FleetReport>> => {
    const made = await fleetReport.read(workplace, wanted);
    if (made === 'tooMuch' || 'unknown' in made) return made;
    const { rows, isComplete, deviceIds } = made;
    const table = tableOf(wanted, rows);
    const title = REPORT_WORDS[wanted.language].kinds[wanted.kind];
    // Whoever has only the file sees in its last line that rows are missing.
    const cut = isComplete ? [] : [[REPORT_WORDS[wanted.language].cut(rows.length)]];
    const whole = { head: table.head, rows: [...table.rows, ...cut] };
    const bytes =
      wanted.format === 'csv' ? new TextEncoder().encode(csvOf(whole)) : await xlsxOf(whole, title, wanted.tz);
    const shown = { head: table.head, rows: table.rows.slice(0, wanted.shown) };
    return { bytes: new Uint8Array(bytes), rowCount: rows.length, table: shown, isComplete, deviceIds };
  },
);

/** Dates of the file are those of the time zone: `trips-2026-06-01`, or from the first day to the last. */
export function fileNameOf({
  kind,
  from,
  to,
  tz,
  format,
}: Pick<ReportFileWanted, 'kind' | 'from' | 'to' | 'tz' | 'format'>) {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: tz });
  const days = new Set([day.format(from), day.format(to - 1)]);
  return `${kind}-${[...days].join('-to-')}.${format}`;
}
