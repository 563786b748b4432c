import { CompiledQuery } from 'kysely';
import type { AnyQuery } from './database.ts';
import { type ByDatabase, dialectOf, SQLITE } from './dialect.ts';
import { prepareText } from './run-sql.ts';
import type { Cell, Kind } from './shape.ts';

type Rows = readonly (readonly Cell[])[];
/** Bytes go to PostgreSQL as its text of them, `\\x` and two digits for each. */
export type Columns = Readonly<Record<string, Exclude<Kind, 'place'> | 'bytes'>>;

/**
 * A statement for many rows, in the form that each engine is fastest with: SQLite runs a statement of one row again and
 * again, PostgreSQL takes all rows at once as one list for each column.
 */
export interface RowsStatement {
  readonly columns: Columns;
  /** With the cells of a row as `?`, in the order of the columns; `node:sqlite` would look up numbers one by one. */
  readonly sqlite: string;
  /** With the rows as `given`, in their order. */
  readonly postgres: string;
}

export type RowBatch = readonly [RowsStatement, Rows];

const quoted = (names: readonly string[], before = '') => names.map((name) => `${before}"${name}"`).join(', ');

/** Returns the ids of the rows, in the order of the rows: ids are assigned in that order. */
export function insertOf(table: string, columns: Columns): RowsStatement {
  const names = Object.keys(columns);
  const start = `INSERT INTO "${table}" (${quoted(names)})`;
  return {
    columns,
    sqlite: `${start} VALUES (${names.map(() => '?').join(', ')})`,
    postgres: `${start} SELECT ${quoted(names, 'given.')} FROM given RETURNING "id"`,
  };
}

/**
 * Rows that are there already, each known by the last column or the last columns, get new values.
 * @param values what a column is set to, where that is not simply the new cell; `{new}` is the placeholder for it, once
 * @param condition which of the rows are changed, where that are not all; columns with the name of the table before them
 * @param keys by how many columns a row is known
 */
export function updateOf(
  table: string,
  columns: Columns,
  values: Readonly<Record<string, string>> = {},
  condition?: string,
  keys = 1,
): RowsStatement {
  const names = Object.keys(columns);
  const known = names.splice(-keys);
  const where = condition === undefined ? '' : ` AND ${condition}`;
  const changed = (cell: (name: string) => string) =>
    names.map((name) => `"${name}" = ${(values[name] ?? '{new}').replaceAll('{new}', cell(name))}`).join(', ');
  return {
    columns,
    sqlite: `UPDATE "${table}" SET ${changed(() => '?')} WHERE ${known.map((key) => `"${key}" = ?`).join(' AND ')}${where}`,
    postgres: `UPDATE "${table}" SET ${changed((name) => `given."${name}"`)} FROM given WHERE ${known.map((key) => `"${table}"."${key}" = given."${key}"`).join(' AND ')}${where}`,
  };
}

/** Runs it for all rows. Returns the ids of the inserted rows. */
export async function runRows(on: AnyQuery, statement: RowsStatement, rows: Rows): Promise<number[]> {
  if (rows.length === 0) return [];
  if (dialectOf(on) === SQLITE) return (await on.executeQuery<number>(eachRow([[statement, rows]]))).rows;
  const { sql, parameters } = postgresRows(statement, rows);
  const answer = await on.executeQuery<{ id: number }>(CompiledQuery.raw(sql, [...parameters]));
  // Whatever order the engine answers them in.
  return answer.rows.map(({ id }) => id).sort((a, b) => a - b);
}

/** What PostgreSQL is sent for all rows. */
export function postgresRows(statement: RowsStatement, rows: Rows): { sql: string; parameters: readonly string[] } {
  const kinds = Object.values(statement.columns);
  return { sql: textOf(statement), parameters: kinds.map((kind, column) => listOf(kind, rows, column)) };
}

/** One statement after the other, each for its rows. SQLite's thread gets them all at once. */
export async function runAll(on: AnyQuery, works: readonly RowBatch[]): Promise<void> {
  const due = works.filter(([, rows]) => rows.length > 0);
  if (dialectOf(on) !== SQLITE) for (const [statement, rows] of due) await runRows(on, statement, rows);
  else if (due.length > 0) await on.executeQuery(eachRow(due));
}

/** A query about many rows, which it has as `given`; the same text on both engines. */
export interface RowsQuery {
  readonly columns: Columns;
  readonly sql: string;
}

/** What a query answers about rows, all in one statement. */
export async function queryRows<R>(on: AnyQuery, query: RowsQuery, rows: Rows): Promise<R[]> {
  if (rows.length === 0) return [];
  const dialect = dialectOf(on);
  const lists =
    dialect === SQLITE
      ? [JSON.stringify(rows)]
      : Object.values(query.columns).map((kind, column) => listOf(kind, rows, column));
  return (await on.executeQuery<R>(CompiledQuery.raw(dialect.pick(QUERY_TEXT)(query), lists))).rows;
}

/** A query about ids, which each engine has as one cell. */
export type IdsQuery = ByDatabase<string>;

/**
 * @param sql with `{ids}` after the column whose ids they are
 * @param lock the rows that are locked until the transaction ends; SQLite has one writer, which needs no lock
 */
export const idsQuery = (sql: string, lock = ''): IdsQuery => ({
  sqlite: sql.replace('{ids}', 'IN (SELECT "value" FROM json_each(?))'),
  postgres: prepareText(`${sql.replace('{ids}', '= ANY($1::BIGINT[])')} ${lock}`),
});

export async function queryIds<R>(on: AnyQuery, query: IdsQuery, ids: readonly number[]): Promise<R[]> {
  const dialect = dialectOf(on);
  const list = dialect === SQLITE ? `[${ids}]` : `{${ids}}`;
  return (await on.executeQuery<R>(CompiledQuery.raw(dialect.pick(query), [list]))).rows;
}

/** SQLite has the rows as JSON: one cell to bind, however many they are. */
function jsonText({ columns, sql }: RowsQuery): string {
  const names = Object.keys(columns);
  const cells = names.map((_, index) => `"value" ->> ${index}`).join(', ');
  return `WITH given (${quoted(names)}) AS (SELECT ${cells} FROM json_each(?)) ${sql}`;
}

/** Queries for SQLite, each run once for each of its rows; the result are the row ids of the last one's inserts. */
interface EachRow extends CompiledQuery {
  readonly each: readonly { readonly sql: string; readonly rows: Rows }[];
}

const eachRow = (works: readonly RowBatch[]): EachRow => ({
  ...CompiledQuery.raw(''),
  each: works.map(([{ sqlite: sql }, rows]) => ({ sql, rows })),
});
export const isEachRow = (query: CompiledQuery): query is EachRow => 'each' in query;

const ARRAYS = {
  integer: 'BIGINT[]',
  number: 'DOUBLE PRECISION[]',
  text: 'TEXT[]',
  flag: 'BIGINT[]',
  time: 'BIGINT[]',
  json: 'JSONB[]',
  texts: 'JSONB[]',
  bytes: 'BYTEA[]',
} as const;
/** Texts are made once for each statement, and PostgreSQL prepares what is known to `prepareText`. */
function remembered<Of extends object>(make: (of: Of) => string): (of: Of) => string {
  const texts = new WeakMap<Of, string>();
  return (of) => {
    const known = texts.get(of);
    if (known !== undefined) return known;
    const text = make(of);
    texts.set(of, text);
    return text;
  };
}

function unnestText(columns: Columns, sql: string): string {
  const lists = Object.values(columns).map((kind, index) => `$${index + 1}::${ARRAYS[kind]}`);
  return prepareText(
    `WITH given (${quoted(Object.keys(columns))}) AS (SELECT * FROM unnest(${lists.join(', ')})) ${sql}`,
  );
}

const textOf = remembered(({ columns, postgres }: RowsStatement) => unnestText(columns, postgres));
const QUERY_TEXT: ByDatabase<(query: RowsQuery) => string> = {
  sqlite: remembered(jsonText),
  postgres: remembered(({ columns, sql }) => unnestText(columns, sql)),
};

/** A column as PostgreSQL writes lists. The driver would do the same, but look at each cell for far longer. */
function listOf(kind: Columns[string], rows: Rows, column: number): string {
  const isPlain = ARRAYS[kind] === 'BIGINT[]' || ARRAYS[kind] === 'DOUBLE PRECISION[]';
  let list = '';
  for (const row of rows) {
    const cell = row[column]!;
    const item = cell === null ? 'NULL' : isPlain ? cell : inQuotes(String(cell));
    list += list === '' ? item : `,${item}`;
  }
  return `{${list}}`;
}

const inQuotes = (text: string) => `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
