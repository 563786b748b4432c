import type { Base as Scope, Sql } from '../filter/sql.ts';
import type { TimeRange } from '../filter/time-range.ts';
import type { AnyQuery } from '../storage/database.ts';
import { type ByDatabase, type Dialect, dialectOf } from '../storage/dialect.ts';
import { runSql } from '../storage/run-sql.ts';
import { OutOfTime } from '../storage/search/messages.ts';
import { presentObjectsAsJson } from '../storage/search/result.ts';
import type { Row, TableShape } from '../storage/shape.ts';

/**
 * Searches rows if some are packed. Packed rows are unpacked here, on a separate thread, and passed to the statement as
 * JSON: the filter language has the same meaning for all of them, because the same engine evaluates it.
 */

/** Packed rows of a table. Lists, counts and lookups work as if all rows were in the table. */
export interface PackedRows {
  /** The time range of a scope's packed rows that overlap a range; undefined if there are none. */
  within(scope: Scope, range: TimeRange): Promise<PackedSpan | undefined>;
  /** Read in place of the table, for a statement that `search` runs. */
  source(scope: Scope): Sql;
  /** Fails like a search of the database. */
  search(scope: Scope, search: PackedSearch, owner: string): Promise<string>;
  find(scope: Scope, id: number): Promise<Row | undefined>;
}

export interface PackedSpan {
  readonly first: number;
  readonly last: number;
}

/** A statement that reads from the source. That of a list also reads ids. */
export interface PackedSearch extends Sql {
  /** The presented columns of each row. */
  readonly shape: TableShape;
  /** Maximum number of presented rows; a line after the text then contains the number, with `+` if there were more. */
  readonly most?: number;
  readonly range: TimeRange;
  /** Rows are ordered by time, and `most` are enough: later ones need not be read. */
  readonly direction?: 'ascending' | 'descending';
  readonly enough?: number;
}

/** All columns that a statement can refer to. */
export interface SearchedTable {
  readonly name: string;
  readonly fields: readonly SearchedField[];
}

interface SearchedField {
  readonly name: string;
  readonly type: 'BIGINT' | 'DOUBLE PRECISION' | 'TEXT' | 'JSONB';
}

interface SegmentSpan {
  readonly id: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/** The source of segments. */
export interface SegmentSource {
  list(): Promise<readonly SegmentSpan[]>;
  /** Undefined if it no longer exists. */
  open(segment: SegmentSpan): Promise<readonly Row[] | undefined>;
  /** Whether only a few rows are passed, so that their number does not matter. */
  readonly areFew?: boolean;
}

const listOf = ({ fields }: SearchedTable) => fields.map(({ name }) => `"${name}"`).join(', ');

/** Placeholders in the text of a statement for the time range of the rows. Values of users are never part of a text. */
const [LOW, HIGH] = ['{{low}}', '{{high}}'];

/**
 * The table as a statement reads it: its rows, and the unpacked ones.
 * @param condition selects its rows, as a text without placeholders
 */
export const searchedSource = (dialect: Dialect, table: SearchedTable, condition: string): Sql => ({
  sql: `${searchedRows(dialect, table, condition)} AS "${table.name}"`,
  cells: [],
});

const UNPACKED_CELL: ByDatabase<(field: SearchedField) => string> = {
  sqlite: ({ name }) => `"${name}"`,
  postgres({ name, type }) {
    if (type === 'TEXT') return `"${name}" COLLATE "C"`;
    return type === 'JSONB' ? `CAST("${name}" AS JSONB)` : `"${name}"`;
  },
};

/** The same without a name. */
export function searchedRows(dialect: Dialect, table: SearchedTable, condition: string): string {
  const list = listOf(table);
  const rows = `SELECT ${list} FROM "${table.name}" WHERE ${condition} AND "timestamp" >= ${LOW} AND "timestamp" <= ${HIGH}`;
  const cells = table.fields.map((field) => dialect.pick(UNPACKED_CELL)(field));
  return `(${rows} UNION ALL SELECT ${cells.join(', ')} FROM "unpacked")`;
}

interface Unpacked {
  /** What was unpacked, from one cell of JSON. */
  text(table: SearchedTable): string;
  cell(table: SearchedTable, rows: readonly Row[]): string;
}

const UNPACKED: ByDatabase<Unpacked> = {
  sqlite: {
    text(table) {
      const cells = table.fields.map(
        ({ type }, index) => `CAST("value" ->> ${index} AS ${type === 'JSONB' ? 'TEXT' : type})`,
      );
      return `"unpacked" (${listOf(table)}) AS MATERIALIZED (SELECT ${cells.join(', ')} FROM json_each(?))`;
    },
    cell: ({ fields }, rows) => JSON.stringify(rows.map((row) => fields.map(({ name }) => row[name]))),
  },
  postgres: {
    text({ fields }) {
      // What is JSON comes as its text, which the source reads.
      const types = fields.map(({ name, type }) => `"${name}" ${type === 'JSONB' ? 'TEXT' : type}`);
      return `"unpacked" AS MATERIALIZED (SELECT * FROM json_to_recordset(CAST(? AS JSON)) AS "given" (${types.join(', ')}))`;
    },
    cell: (_, rows) => JSON.stringify(rows),
  },
};

/** Maximum number of rows unpacked for one search. */
const MOST_ROWS = 300_000;
/** Segments that are opened first, if rows are ordered by time and a few are enough. */
const FEW = 2;
const TRIES = 5;

type Searched = Pick<PackedSearch, 'sql' | 'cells' | 'range' | 'direction' | 'enough'>;

/** The rows that a statement finds, as JSON. */
export async function searchSegments(
  query: AnyQuery,
  table: SearchedTable,
  source: SegmentSource,
  wanted: PackedSearch,
): Promise<string> {
  return presentObjectsAsJson(wanted, await rowsOverSegments(query, table, source, wanted));
}

/** The same as rows. Those with an id have the original cells: a statement uses this name for nothing else. */
export async function rowsOverSegments(
  query: AnyQuery,
  table: SearchedTable,
  source: SegmentSource,
  wanted: Searched,
): Promise<Row[]> {
  for (let tries = 1; ; tries += 1) {
    const found = await searchOnce(query, table, source, wanted);
    if (found !== undefined) return found;
    if (tries === TRIES) throw new OutOfTime('The rows change all the time.');
  }
}

/** Undefined if rows were packed or unpacked meanwhile. */
async function searchOnce(
  query: AnyQuery,
  table: SearchedTable,
  source: SegmentSource,
  wanted: Searched,
): Promise<Row[] | undefined> {
  const { direction, enough = 0 } = wanted;
  const segments = await source.list();
  const ordered =
    direction === 'descending'
      ? segments.toSorted((a, b) => b.lastAt - a.lastAt)
      : segments.toSorted((a, b) => a.firstAt - b.firstAt);
  for (let few = direction === undefined ? ordered.length : FEW; ; few *= 2) {
    const rows = await matching(query, table, source, wanted, ordered.slice(0, few), ordered[few]);
    if (rows === undefined) return undefined;
    if (few < ordered.length && rows.length < enough) continue;
    const after = await source.list();
    const ids = new Set(segments.map(({ id }) => id));
    return after.length === segments.length && after.every(({ id }) => ids.has(id)) ? rows : undefined;
  }
}

/** @param next the first segment that is not opened, in the requested order: everything up to there is known */
async function matching(
  query: AnyQuery,
  table: SearchedTable,
  source: SegmentSource,
  { sql, cells, direction, range }: Searched,
  opened: readonly SegmentSpan[],
  next: SegmentSpan | undefined,
): Promise<Row[] | undefined> {
  if (!source.areFew && opened.reduce((sum, { count }) => sum + count, 0) > MOST_ROWS)
    throw new OutOfTime('Too many rows would have to be unpacked.');
  const low = next && direction === 'descending' ? Math.max(next.lastAt + 1, range.from) : range.from;
  const high = next && direction === 'ascending' ? Math.min(next.firstAt - 1, range.to) : range.to;
  const unpacked: Row[] = [];
  for (const segment of opened) {
    const rows = await source.open(segment);
    if (rows === undefined) return undefined;
    for (const row of rows)
      if ((row.timestamp as number) >= low && (row.timestamp as number) <= high) unpacked.push(row);
  }
  const text = sql.replaceAll(LOW, String(low)).replaceAll(HIGH, String(high));
  const by = dialectOf(query).pick(UNPACKED);
  const given = by.text(table);
  const whole = text.startsWith('WITH ') ? `WITH ${given}, ${text.slice('WITH '.length)}` : `WITH ${given} ${text}`;
  const found = await runSql<Row>(query, whole, [by.cell(table, unpacked), ...cells]);
  // A number that went through JSON may differ in its last digit: SQLite does not read each as it was written.
  const exact = new Map(unpacked.map((row) => [row.id, row]));
  return found.map((row) => {
    const same = row.id === undefined ? undefined : exact.get(row.id);
    return same === undefined ? row : { ...row, ...same };
  });
}
