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

const ADDED = new Set<Field['kind']>(['time', 'number', 'place']);

/** @param table under which name a statement has the table; its results are named by it */
export function jsonRows(storeKind: StoreKind, shape: TableShape, table: string): JsonRows {
  const made = shape.filter(({ kind }) => !ADDED.has(kind));
  const added = shape.filter(({ kind }) => ADDED.has(kind));
  const { object, cellText } = ENGINES[storeKind];
  const pairs = made.map(({ name, kind }) => `'${name}', ${cellText(kind, `"${table}"."${name}"`)}`);
  const cells = added.flatMap(columnsOf).map((column) => `"${table}"."${column}" AS "${table}.${column}"`);
  return {
    columns: [`${object}(${pairs.join(', ')}) AS "${table}"`, ...cells].join(', '),
    textOf(row) {
      let text = (row[table] as string).slice(0, -1);
      for (const { name, kind } of added) text += `,"${name}":${addedText(kind, row, `${table}.${name}`)}`;
      return `${text}}`;
    },
  };
}

function addedText(kind: Field['kind'], row: Row, name: string): string {
  if (kind === 'place') {
    const lat = row[`${name}Lat`];
    return isUnset(lat) ? 'null' : `{"lat":${lat},"lng":${row[`${name}Lng`]}}`;
  }
  const cell = row[name];
  if (isUnset(cell)) return 'null';
  return kind === 'time' ? `"${isoTime(cell as number)}"` : String(cell);
}

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
