import type { ReportCell, ReportTable } from './table.ts';

/** A table as a CSV file (RFC 4180), with a byte order mark, so that spreadsheets recognise UTF-8. */

const MARK = '\u{feff}';

/** A spreadsheet would execute text that starts like a formula, so it is marked as text. */
const harmless = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

function written(cell: ReportCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'object') return new Date(cell.time).toISOString();
  const text = harmless(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvLine = (row: readonly ReportCell[]): string => `${row.map(written).join(',')}\r\n`;

export const csvOf = ({ head, rows }: ReportTable): string => MARK + [head, ...rows].map(csvLine).join('');
