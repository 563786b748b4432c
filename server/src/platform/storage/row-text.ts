import { isoTime } from '../iso-time.ts';
import { type Cell, columnsOf, type Field, type Kind, type TableShape } from './shape.ts';

type CellText = (cells: readonly Cell[], index: number) => string;

const numberText: CellText = (cells, index) => {
  const cell = cells[index];
  return typeof cell === 'number' && Number.isFinite(cell) ? `${cell}` : JSON.stringify(cell);
};
const plainText: CellText = (cells, index) => JSON.stringify(cells[index]);
/** As short as the API writes it, whatever spaces the engine adds. */
const jsonText: CellText = (cells, index) => JSON.stringify(JSON.parse(cells[index] as string));

/** By kind, how a cell that is set is written as JSON, as `presentRow` would show it. */
export const CELL_TEXTS: Readonly<Record<Kind, CellText>> = {
  integer: numberText,
  number: numberText,
  text: plainText,
  flag: (cells, index) => (cells[index] === 0 ? 'false' : 'true'),
  time: (cells, index) => `"${isoTime(cells[index] as number)}"`,
  json: jsonText,
  texts: jsonText,
  place: (cells, index) => `{"lat":${cells[index]},"lng":${cells[index + 1]}}`,
};

/**
 * Where the cells of fields are in a list, and what is written before each.
 * @param opening what is written before the first
 */
export function fieldTexts(fields: readonly Field[], { first, opening }: { first: number; opening: '{' | ',' }) {
  let next = first;
  return fields.map((field, index) => {
    const offset = next;
    next += columnsOf(field).length;
    const start = `${index === 0 ? opening : ','}"${field.name}":`;
    return { offset, start, unset: `${start}null`, write: CELL_TEXTS[field.kind] };
  });
}

/** Writes rows as JSON, each a list of the cells of a shape in their order: no object is made of any of them. */
export function rowWriter(shape: TableShape): (cells: readonly Cell[]) => string {
  if (shape.length === 0) return () => '{}';
  const fields = fieldTexts(shape, { first: 0, opening: '{' });
  return (cells) => {
    let text = '';
    for (const { offset, start, unset, write } of fields)
      text += cells[offset] === null ? unset : start + write(cells, offset);
    return `${text}}`;
  };
}
