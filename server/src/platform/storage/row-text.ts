import type { JsonBytes } from './json-bytes.ts';
import { type Cell, columnsOf, type Kind, type TableShape } from './shape.ts';

type CellWriter = (json: JsonBytes, cells: readonly Cell[], index: number) => void;

const writeNumber: CellWriter = (json, cells, index) => {
  const cell = cells[index]!;
  if (typeof cell === 'number') json.number(cell);
  else json.text(JSON.stringify(cell));
};
/** As short as the API writes it, whatever spaces the engine adds. */
const writeJson: CellWriter = (json, cells, index) => json.text(JSON.stringify(JSON.parse(cells[index] as string)));

const ascii = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const [TRUE, FALSE, LAT, LNG] = ['true', 'false', '{"lat":', ',"lng":'].map(ascii) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const BRACE = 125;

/** By kind, how a cell that is set is written, as `presentRow` would show it. */
const WRITERS: Readonly<Record<Kind, CellWriter>> = {
  integer: writeNumber,
  number: writeNumber,
  text: (json, cells, index) => json.text(JSON.stringify(cells[index])),
  flag: (json, cells, index) => json.raw(cells[index] === 0 ? FALSE : TRUE),
  time: (json, cells, index) => json.time(cells[index] as number),
  json: writeJson,
  texts: writeJson,
  place(json, cells, index) {
    json.raw(LAT);
    writeNumber(json, cells, index);
    json.raw(LNG);
    writeNumber(json, cells, index + 1);
    json.byte(BRACE);
  },
};

/** Writes rows as JSON, each a list of the cells of a shape in their order: no object is made of any of them. */
export function rowWriter(shape: TableShape): (json: JsonBytes, cells: readonly Cell[]) => void {
  let next = 0;
  const fields = shape.map((field, index) => {
    const offset = next;
    next += columnsOf(field).length;
    const start = `${index === 0 ? '{' : ','}${JSON.stringify(field.name)}:`;
    return { offset, start: ascii(start), unset: ascii(`${start}null`), write: WRITERS[field.kind] };
  });
  return (json, cells) => {
    if (fields.length === 0) json.text('{');
    for (const { offset, start, unset, write } of fields) {
      if (cells[offset] === null) {
        json.raw(unset);
        continue;
      }
      json.raw(start);
      write(json, cells, offset);
    }
    json.byte(BRACE);
  };
}
