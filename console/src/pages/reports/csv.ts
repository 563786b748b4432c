/** A table as a CSV file (RFC 4180), with a mark by which spreadsheets know that it is UTF-8. */

export type CsvCell = string | number | null;

const MARK = '\u{feff}';

/** A spreadsheet would run what begins like a formula, so a text that does is marked as a text. */
const harmless = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

function written(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = harmless(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvOf = (head: readonly string[], rows: readonly (readonly CsvCell[])[]): string =>
  MARK + [head, ...rows].map((row) => `${row.map(written).join(',')}\r\n`).join('');

export function saveText(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken hold of it by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
