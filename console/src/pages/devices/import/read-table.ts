import { type CsvRow, MOST_ROWS, readCsv, TableProblem } from './csv.ts';

/** Reads a table as spreadsheets save it: XLSX, or text with separators. */
export async function readTable(file: Blob): Promise<CsvRow[]> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  // XLSX files are ZIP archives.
  return bytes[0] === 0x50 && bytes[1] === 0x4b ? readXlsx(file) : readCsv(textOf(bytes));
}

async function readXlsx(file: Blob): Promise<CsvRow[]> {
  // Not the entry for browsers, which starts workers from inline code: the policy of the page does not allow them.
  const { readSheet } = await import('read-excel-file/universal');
  const rows = await readSheet(file);
  if (rows.length > MOST_ROWS) throw new TableProblem(MOST_ROWS + 1, 'tooManyRows');
  return rows
    .map((cells, index) => ({ line: index + 1, cells: cells.map((cell) => (cell === null ? '' : String(cell))) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
}

/** Excel saves text in the code page of Windows or in UTF-16, others in UTF-8. */
function textOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
