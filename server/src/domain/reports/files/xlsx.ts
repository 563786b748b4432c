import { offsetMinutes } from '../../../platform/wall-clock.ts';
import type { ReportCell, ReportTable } from './table.ts';

/** A table as an XLSX file. Texts are texts there, whatever they begin with; times are local times of the zone. */

const MINUTE_MS = 60_000;
const WIDEST = 40;
/** No cell of a sheet holds more. */
const MOST_CHARACTERS = 32_767;
/** Not allowed in XML, whatever is written before them. */
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
/** Names of sheets are short, and some signs mean something else there. */
const nameOf = (text: string) => text.replaceAll(/[\\/*?:[\]]/g, ' ').slice(0, 31);

const widthOf = (label: string, first: ReportCell | undefined) =>
  Math.min(
    WIDEST,
    Math.max(label.length + 2, typeof first === 'object' && first !== null ? 20 : String(first ?? '').length + 2),
  );
