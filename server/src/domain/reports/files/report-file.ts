import { messagesIn } from '@trackway/contract/messages/messages.ts';
import type { ReportFileFormat } from '@trackway/contract/resources/fleet-report.ts';
import { LANGUAGE_LIST, type Language } from '@trackway/contract/wording/languages.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import { offsetMinutes } from '../../../platform/times.ts';
import type { Tables } from '../../schema/tables.ts';
import { type FleetReport, type FleetReportMade, fleetReport } from '../fleet-report.ts';
import type { FleetReportWanted } from '../report-row.ts';
import { csvOf } from './csv.ts';
import { pdfOf } from './pdf.ts';
import { joinPlaces, type ReportCell, type ReportTable, type TableWanted, tableOf, unitsOf } from './table.ts';

/** Reports as CSV, XLSX and PDF files. Texts stay texts, whatever they start with; times are local times of the zone. */

const MINUTE_MS = 60_000;
const WIDEST = 40;
/** Maximum length of a cell. */
const MOST_CHARACTERS = 32_767;
/** Characters that XML does not allow, even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that must not get into it.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export async function xlsxOf({ head, rows }: ReportTable, sheet: string, tz: string): Promise<Uint8Array> {
  const { default: writeExcelFile } = await import('write-excel-file/node');
  const cellOf = (cell: ReportCell) => {
    if (cell === null) return null;
    if (typeof cell === 'number') return { value: cell, type: Number };
    if (typeof cell === 'string') return { value: textOf(cell), type: String };
    const local = cell.time + offsetMinutes(tz, cell.time) * MINUTE_MS;
    return { value: new Date(local), type: Date, format: 'yyyy-mm-dd hh:mm:ss' };
  };
  const data = [
    head.map((value) => ({ value: textOf(value), type: String, fontWeight: 'bold' as const })),
    ...rows.map((row) => row.map(cellOf)),
  ];
  const columns = head.map((label, index) => ({ width: widthOf(label, rows[0]?.[index]) }));
  return writeExcelFile(data, { sheet: nameOf(sheet), columns, stickyRowsCount: 1 }).toBuffer();
}

const textOf = (text: string) => text.replaceAll(UNWRITABLE, '').slice(0, MOST_CHARACTERS);
/** Sheet names are short, and some characters are not allowed. */
const nameOf = (text: string) => text.replaceAll(/[\\/*?:[\]]/g, ' ').slice(0, 31);

const widthOf = (label: string, first: ReportCell | undefined) =>
  Math.min(
    WIDEST,
    Math.max(label.length + 2, typeof first === 'object' && first !== null ? 20 : String(first ?? '').length + 2),
  );

export interface ReportFileWanted extends FleetReportWanted, Pick<TableWanted, 'columns' | 'language' | 'units'> {
  readonly format: ReportFileFormat;
  /** The title of a PDF; that of the kind if absent. */
  readonly title?: string;
  /** Number of table rows to return in addition to the file. */
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
  pdf: 'application/pdf',
};

/** A report as a file, generated on a separate thread. */
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
    const title = messagesIn(wanted.language).reportWords.kinds[wanted.kind];
    // The last line of the file states whether rows are missing.
    const cut = isComplete ? [] : [[messagesIn(wanted.language).reportWords.cut({ rows: rows.length })]];
    const whole = { head: table.head, rows: [...table.rows, ...cut] };
    const bytes = await WRITERS[wanted.format](whole, title, wanted);
    const shown = { head: table.head, rows: table.rows.slice(0, wanted.shown) };
    return { bytes: new Uint8Array(bytes), rowCount: rows.length, table: shown, isComplete, deviceIds };
  },
);

const WRITERS: Readonly<
  Record<ReportFileFormat, (table: ReportTable, kind: string, wanted: ReportFileWanted) => Promise<Uint8Array>>
> = {
  csv: async (table) => new TextEncoder().encode(csvOf(table)),
  xlsx: (table, kind, { tz }) => xlsxOf(table, kind, tz),
  pdf(table, kind, wanted) {
    const { language, tz, title = kind, units } = wanted;
    const { reportWords: words } = messagesIn(language);
    const about = [
      ...(title === kind ? [] : [kind]),
      periodText(language, wanted),
      words.zone({ zone: tz }),
      words.units({ units: unitsOf(units).join(', ') }),
    ];
    const { head, rows } = joinPlaces(wanted, table);
    const cellText = cellTextIn(language, tz);
    const notes = [about.join(' · ')];
    return pdfOf({ title, notes, language, pageText: words.page, head, rows: rows.map((row) => row.map(cellText)) });
  },
};

/** The file name has dates of the time zone: `trips-2026-06-01`, or from the first day to the last. */
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

/** A cell as people read it, in their language and in local time. */
export function cellTextIn(language: Language, timeZone: string): (cell: ReportCell) => string {
  const { locale } = LANGUAGE_LIST[language];
  const time = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 5 });
  return (cell) => {
    if (cell === null) return '–';
    if (typeof cell === 'string') return cell;
    return typeof cell === 'number' ? number.format(cell) : time.format(cell.time);
  };
}

/** The days of a report. */
export function periodText(
  language: Language,
  { from, to, tz }: { readonly from: number; readonly to: number; readonly tz: string },
): string {
  const format = new Intl.DateTimeFormat(LANGUAGE_LIST[language].locale, { timeZone: tz, dateStyle: 'medium' });
  return format.formatRange(from, to - 1);
}
