import { presentRow, type Row, type TableShape } from '../shape.ts';
import { OutOfTime } from './messages.ts';

const MAX_LENGTH = 64 * 1024 * 1024;

/** Builds the JSON text of the rows in the format of the API, row by row, so that no second copy of them is needed. */
export function presentAsJson(shape: TableShape, rows: Iterable<Row>, checkDeadline: () => void): string {
  let json = '[';
  for (const row of rows) {
    checkDeadline();
    if (json.length > 1) json += ',';
    json += JSON.stringify(presentRow(shape, row));
    if (json.length > MAX_LENGTH) throw new OutOfTime('The search found too much to send.');
  }
  return `${json}]`;
}
