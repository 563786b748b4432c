import { JsonBytes } from '../json-bytes.ts';
import { rowWriter } from '../row-text.ts';
import { type Cell, columnsOf, type Row } from '../shape.ts';
import { OutOfTime, type SearchRequest } from './messages.ts';

const MAX_LENGTH = 64 * 1024 * 1024;
/** Rows between two looks at the clock. */
const LOOK_EVERY = 64;
const BRACKET = 91;
const COMMA = 44;

/** A thread makes one text at a time, without waiting in between. */
const json = new JsonBytes();

type Asked = Pick<SearchRequest, 'shape' | 'most'>;

/**
 * Builds the JSON text of the rows in the format of the API, row by row, so that no second copy of them is needed.
 * @param names of the cells in each row
 */
export function presentAsJson(
  { shape, most }: Asked,
  names: readonly string[],
  rows: Iterable<readonly Cell[]>,
  checkDeadline: () => void,
): string {
  const write = rowWriter(shape);
  const places = shape.flatMap(columnsOf).map((name) => names.indexOf(name));
  const isInOrder = places.every((place, index) => place === index);
  const inOrder = (cells: readonly Cell[]) => (isInOrder ? cells : places.map((place) => cells[place] ?? null));
  json.restart();
  let count = 0;
  for (const cells of rows) {
    if (count % LOOK_EVERY === 0) checkDeadline();
    if (count === most) {
      json.text(`]\n${count}+`);
      return json.toString();
    }
    json.byte(count++ === 0 ? BRACKET : COMMA);
    write(json, inOrder(cells));
    if (json.length > MAX_LENGTH) throw new OutOfTime('The search found too much to send.');
  }
  json.text(`${count === 0 ? '[' : ''}]${most === undefined ? '' : `\n${count}`}`);
  return json.toString();
}

/** The same of rows that are objects. */
export function presentObjectsAsJson(asked: Asked, rows: readonly Row[]): string {
  const names = asked.shape.flatMap(columnsOf);
  const lists = rows.map((row) => names.map((name) => row[name] ?? null));
  return presentAsJson(asked, names, lists, () => {});
}
