/** Comma-separated values, as spreadsheets read and write them. */

export interface CsvRow {
  /** Its first line in the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export const MOST_BYTES = 10_000_000;
export const MOST_ROWS = 20_000;
const MOST_CELLS = 200;
/** Number of characters for recognising the separator. */
const MOST_LOOKED_AT = 20_000;

/** Why a file cannot be read as a table, and where. */
export class TableProblem extends Error {
  readonly line: number;
  readonly reason: 'quote' | 'tooManyRows' | 'tooManyCells';
  constructor(line: number, reason: TableProblem['reason']) {
    super(`${reason} in line ${line}`);
    this.line = line;
    this.reason = reason;
  }
}

/** The separator is a comma, a semicolon or a tab: the one that occurs equally often in the first lines. */
export function readCsv(text: string): CsvRow[] {
  const from = text.startsWith('\uFEFF') ? 1 : 0;
  const separator = separatorOf(text.slice(from, from + MOST_LOOKED_AT).split('\n', 10));
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let line = 1;
  let began = 1;
  const endRow = () => {
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: began, cells });
    if (rows.length > MOST_ROWS) throw new TableProblem(began, 'tooManyRows');
    cells = [];
  };
  for (let at = from; at <= text.length; ) {
    let cell = '';
    if (text[at] === '"') {
      at++;
      for (;;) {
        const end = text.indexOf('"', at);
        if (end < 0) throw new TableProblem(began, 'quote');
        cell += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        cell += '"';
        at++;
      }
      line += cell.split('\n').length - 1;
    }
    const end = endOfCell(text, at, separator);
    cell += text.slice(at, end);
    at = end;
    cells.push(cell.endsWith('\r') ? cell.slice(0, -1) : cell);
    if (cells.length > MOST_CELLS) throw new TableProblem(began, 'tooManyCells');
    if (text[at] === separator) {
      at++;
      continue;
    }
    endRow();
    at++;
    line++;
    began = line;
  }
  return rows;
}

function endOfCell(text: string, from: number, separator: string): number {
  for (let at = from; at < text.length; at++) if (text[at] === separator || text[at] === '\n') return at;
  return text.length;
}

function separatorOf(lines: readonly string[]): string {
  /** In how many lines it occurs equally often, then how often in the first of them. */
  const fit = (sign: string): number => {
    const counts = lines.map((line) => line.split(sign).length - 1).filter((count) => count > 0);
    const alike = Map.groupBy(counts, (count) => count).values();
    return Math.max(0, ...[...alike].map(({ length }) => length)) + (counts[0] ?? 0) / 1000;
  };
  return [',', ';', '\t'].reduce((best, sign) => (fit(sign) > fit(best) ? sign : best));
}

/** Text that a spreadsheet would interpret as a formula gets the spreadsheet's own text prefix. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  `${rows.map((cells) => cells.map(writeCell).join(',')).join('\r\n')}\r\n`;

function writeCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Removes the prefix that writing added. */
export const plainCell = (text: string): string => (/^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text).trim();
