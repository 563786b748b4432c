import { isoTime } from '../times.ts';
import type { ByDatabase } from './dialect.ts';
import { type Cell, columnsOf, type Field, type TableShape } from './shape.ts';

/**
 * Rows as JSON text that the engine itself puts together, so that a row of forty columns costs no more than one of ten.
 * Times, places and numbers with fractions, which each engine writes in its own way, are added here.
 */
export interface JsonRows {
  /** What a statement selects for it. */
  readonly columns: string;
  /** How many cells that is. */
  readonly width: number;
  /**
   * The text of a row without the brace at its end, so that more can be added.
   * @param cells a row as a list; the cells begin at `first`
   */
  openTextOf(cells: readonly Cell[], first: number): string;
}

/** @param table under which name a statement has the table */
export const jsonRows = (shape: TableShape, table: string): ByDatabase<JsonRows> => ({
  sqlite: rowsMadeBy(ENGINES.sqlite, shape, table),
  postgres: rowsMadeBy(ENGINES.postgres, shape, table),
});

function rowsMadeBy({ object, cellText }: Engine, shape: TableShape, table: string): JsonRows {
  const made = shape.filter(({ kind }) => WRITERS[kind] === undefined);
  const added = shape.filter(({ kind }) => WRITERS[kind] !== undefined);
  const pairs = made.map(({ name, kind }) => `'${name}', ${cellText(kind, `"${table}"."${name}"`)}`);
  const columns = [`${object}(${pairs.join(', ')})`, ...added.flatMap(columnsOf).map((name) => `"${table}"."${name}"`)];
  const writers = writersOf(added);
  return {
    columns: columns.join(', '),
    width: columns.length,
    openTextOf(cells, first) {
      // The engine's text is whole in memory: to leave its brace out copies nothing.
      let text = (cells[first] as string).slice(0, -1);
      for (const { offset, start, unset, write } of writers) {
        const index = first + offset;
        text += cells[index] === null ? unset : start + write(cells, index);
      }
      return text;
    },
  };
}

function writersOf(added: readonly Field[]) {
  let next = 1;
  return added.map((field) => {
    const offset = next;
    next += columnsOf(field).length;
    const start = `,"${field.name}":`;
    return { offset, start, unset: `${start}null`, write: WRITERS[field.kind]! };
  });
}

/** By kind, how a cell that is set is written. */
const WRITERS: Readonly<Partial<Record<Field['kind'], (cells: readonly Cell[], index: number) => string>>> = {
  place: (cells, index) => `{"lat":${cells[index]},"lng":${cells[index + 1]}}`,
  time: (cells, index) => `"${isoTime(cells[index] as number)}"`,
  number: (cells, index) => String(cells[index]),
};

interface Engine {
  readonly object: string;
  cellText(kind: Field['kind'], column: string): string;
}

const ENGINES: ByDatabase<Engine> = {
  sqlite: {
    object: 'json_object',
    cellText(kind, column) {
      if (kind === 'json' || kind === 'texts') return `json(${column})`;
      if (kind !== 'flag') return column;
      return `json(CASE WHEN ${column} IS NULL THEN 'null' WHEN ${column} = 0 THEN 'false' ELSE 'true' END)`;
    },
  },
  postgres: {
    object: 'json_build_object',
    cellText: (kind, column) => (kind === 'flag' ? `(${column} <> 0)` : column),
  },
};
