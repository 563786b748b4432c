import { presentRow, type Row } from '../shape.ts';
import { OutOfTime, type SearchRequest } from './messages.ts';

const MAX_LENGTH = 64 * 1024 * 1024;

/** Builds the JSON text of the rows in the format of the API, row by row, so that no second copy of them is needed. */
export function presentAsJson(
  { shape, most }: Pick<SearchRequest, 'shape' | 'most'>,
  rows: Iterable<Row>,
  checkDeadline: () => void,
): string {
  let json = '[';
  let count = 0;
  for (const row of rows) {
    checkDeadline();
    if (count === most) return `${json}]\n${count}+`;
    count++;
    if (json.length > 1) json += ',';
    json += JSON.stringify(presentRow(shape, row));
    if (json.length > MAX_LENGTH) throw new OutOfTime('The search found too much to send.');
  }
  return most === undefined ? `${json}]` : `${json}]\n${count}`;
}
