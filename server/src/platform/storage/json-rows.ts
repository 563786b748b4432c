import { isoTime } from '../iso-time.ts';
import { type Cell, columnsOf, type Field, type Row, type TableShape } from './shape.ts';
import type { StoreKind } from './store-kind.ts';

/**
 * Rows as JSON text that the engine itself puts together, so that a row of forty columns costs no more than one of ten.
 * Times, places and numbers with fractions, which each engine writes in its own way, are added here.
 */
export interface JsonRows {
  /** What a statement selects for it. */
  readonly columns: string;
  textOf(row: Row): string;
}

/** @param table under which name a statement has the table; its results are named by it */
export function jsonRows(storeKind: StoreKind, shape: TableShape, table: string): JsonRows {
  const made = shape.filter(({ kind }) => WRITERS[kind] === undefined);
  const added = shape.filter(({ kind }) => WRITERS[kind] !== undefined);
  const { object, cellText } = ENGINES[storeKind];
  const pairs = made.map(({ name, kind }) => `'${name}', ${cellText(kind, `"${table}"."${name}"`)}`);
  const cells = added.flatMap(columnsOf).map((column) => `"${table}"."${column}" AS "${table}.${column}"`);
  // Names that are put together for every row would have to be looked up letter by letter.
  const writers = added.map(({ name, kind }) => ({ start: `,"${name}":`, write: WRITERS[kind]!(`${table}.${name}`) }));
  return {
    columns: [`${object}(${pairs.join(', ')}) AS "${table}"`, ...cells].join(', '),
    textOf(row) {
      let text = (row[table] as string).slice(0, -1);
      for (const { start, write } of writers) text += start + write(row);
      return `${text}}`;
    },
  };
}

/** By kind, how a cell of a row is written. */
const WRITERS: Readonly<Partial<Record<Field['kind'], (name: string) => (row: Row) => string>>> = {
  place(name) {
    const [lat, lng] = [`${name}Lat`, `${name}Lng`];
    return (row) => (isUnset(row[lat]) ? 'null' : `{"lat":${row[lat]},"lng":${row[lng]}}`);
  },
  time: (name) => (row) => (isUnset(row[name]) ? 'null' : `"${isoTime(row[name] as number)}"`),
  number: (name) => (row) => (isUnset(row[name]) ? 'null' : String(row[name])),
};

const isUnset = (cell: Cell | undefined) => cell === null || cell === undefined;

interface Engine {
  readonly object: string;
  cellText(kind: Field['kind'], column: string): string;
}

const ENGINES: Readonly<Record<StoreKind, Engine>> = {
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
