/** Tables as comma-separated values, as spreadsheets read and write them. */

export interface CsvRow {
  /** Where it begins in the file, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export const MOST_BYTES = 10_000_000;
export const MOST_ROWS = 20_000;
const MOST_CELLS = 200;

/** Why a file cannot be read as a table, and where. */
export class CsvProblem extends Error {
  readonly line: number;
  readonly reason: 'quote' | 'tooManyRows' | 'tooManyCells';
  constructor(line: number, reason: CsvProblem['reason']) {
    super(`${reason} in line ${line}`);
    this.line = line;
    this.reason = reason;
  }
}

/** Commas, semicolons and tabs separate cells: whichever the first line has most of. */
export function readCsv(text: string): CsvRow[] {
  const from = text.startsWith('\uFEFF') ? 1 : 0;
  const separator = separatorOf(text.slice(from, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n')));
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let line = 1;
  let began = 1;
  const endRow = () => {
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: began, cells });
    if (rows.length > MOST_ROWS) throw new CsvProblem(began, 'tooManyRows');
    cells = [];
  };
  for (let at = from; at <= text.length; ) {
    let cell = '';
    if (text[at] === '"') {
      at++;
      for (;;) {
        const end = text.indexOf('"', at);
        if (end < 0) throw new CsvProblem(began, 'quote');
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
    if (cells.length > MOST_CELLS) throw new CsvProblem(began, 'tooManyCells');
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

function separatorOf(firstLine: string): string {
  const count = (sign: string) => firstLine.split(sign).length;
  return [',', ';', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

/** What a spreadsheet would take for a formula is marked as text, as spreadsheets mark it themselves. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  `${rows.map((cells) => cells.map(writeCell).join(',')).join('\r\n')}\r\n`;

function writeCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a cell without the mark that writing put before it. */
export const plainCell = (text: string): string => (/^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text).trim();
