import { CompiledQuery } from 'kysely';
import type { AnyQuery } from './database.ts';
import { type ByDatabase, dialectOf, type ShardOf, SQLITE } from './dialect.ts';
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
  /** For tables that Citus distributes by device. */
  readonly spread?: SpreadStatement;
}

/**
 * A statement that Citus sends to one worker whole, for rows of devices of one shard: its condition contains the list of
 * these devices, and it takes no ids.
 */
export interface SpreadStatement {
  readonly columns: Columns;
  readonly postgres: string;
  /** The column of `given` that names the device. */
  readonly by: string;
  /** The table whose next ids are the cells of the last column. */
  readonly newIdsOf?: string;
}

export type RowBatch = readonly [RowsStatement, Rows];

/** The devices of all rows, as the condition of a `SpreadStatement` contains them. */
export const devicesIn = (columns: Columns, by: string) => `ANY($${Object.keys(columns).indexOf(by) + 1}::BIGINT[])`;

const NEW_ID = 'newId';

/**
 * An insert of a value for each column of a distributed table. Citus sends it to a worker only if it reads the device from a
 * table that is distributed alike, and calls no sequence.
 */
export function insertAtHome(
  table: string,
  columns: Columns,
  values: Readonly<Record<string, string>>,
  { by = 'deviceId', end = '' }: { readonly by?: string; readonly end?: string } = {},
): SpreadStatement {
  const takesIds = end.includes('RETURNING "id"');
  const home = { ...values, [by]: 'home."id"', ...(takesIds && { id: `given."${NEW_ID}"` }) };
  return {
    columns: takesIds ? { ...columns, [NEW_ID]: 'integer' } : columns,
    postgres: `INSERT INTO "${table}" (${quoted(Object.keys(home))}) SELECT ${Object.values(home).join(', ')} FROM given
 JOIN "devices" AS home ON home."id" = given."${by}" AND home."id" = ${devicesIn(columns, by)} ${end}`,
    by,
    ...(takesIds && { newIdsOf: table }),
  };
}

/** The unchanged cells of `given`. */
export const givenValues = (columns: Columns) =>
  Object.fromEntries(Object.keys(columns).map((name) => [name, `given."${name}"`]));

const quoted = (names: readonly string[], before = '') => names.map((name) => `${before}"${name}"`).join(', ');

/**
 * Returns the ids of the rows, in the order of the rows: ids are assigned in that order.
 * @param by the column that names the device, for a table that is distributed by it
 */
export function insertOf(table: string, columns: Columns, by?: string): RowsStatement {
  const names = Object.keys(columns);
  const start = `INSERT INTO "${table}" (${quoted(names)})`;
  const end = 'RETURNING "id"';
  return {
    columns,
    sqlite: `${start} VALUES (${names.map(() => '?').join(', ')})`,
    postgres: `${start} SELECT ${quoted(names, 'given.')} FROM given ${end}`,
    ...(by && {
      spread: insertAtHome(table, columns, givenValues(columns), { by, end: names.includes('id') ? '' : end }),
    }),
  };
}

/**
 * Rows that are there already, each known by the last column or the last columns, get new values.
 * @param values what a column is set to, where that is not simply the new cell; `{new}` is the placeholder for it, once
 * @param options.condition which of the rows are changed, where that are not all; columns with the name of the table before them
 * @param options.keys by how many columns a row is known
 * @param options.by which of them names the device, for a table that is distributed by it
 */
export function updateOf(
  table: string,
  columns: Columns,
  values: Readonly<Record<string, string>> = {},
  { condition, keys = 1, by }: { readonly condition?: string; readonly keys?: number; readonly by?: string } = {},
): RowsStatement {
  const names = Object.keys(columns);
  const known = names.splice(-keys);
  const where = condition === undefined ? '' : ` AND ${condition}`;
  const changed = (cell: (name: string) => string) =>
    names.map((name) => `"${name}" = ${(values[name] ?? '{new}').replaceAll('{new}', cell(name))}`).join(', ');
  const postgres = `UPDATE "${table}" SET ${changed((name) => `given."${name}"`)} FROM given WHERE ${known.map((key) => `"${table}"."${key}" = given."${key}"`).join(' AND ')}${where}`;
  return {
    columns,
    sqlite: `UPDATE "${table}" SET ${changed(() => '?')} WHERE ${known.map((key) => `"${key}" = ?`).join(' AND ')}${where}`,
    postgres,
    ...(by && { spread: updateAtHome(table, columns, postgres, by) }),
  };
}

/** An update whose last part is its condition. */
export const updateAtHome = (table: string, columns: Columns, postgres: string, by: string): SpreadStatement => ({
  columns,
  postgres: `${postgres} AND "${table}"."${by}" = ${devicesIn(columns, by)}`,
  by,
});

/** Runs it for all rows. Returns the ids of the inserted rows. */
export async function runRows(on: AnyQuery, statement: RowsStatement, rows: Rows): Promise<number[]> {
  if (rows.length === 0) return [];
  if (dialectOf(on) === SQLITE) return (await on.executeQuery<number>(eachRow([[statement, rows]]))).rows;
  const ids: number[] = [];
  for (const { sql, cells } of await postgresParts(on, statement, rows)) {
    const answer = await on.executeQuery<{ id: number }>(CompiledQuery.raw(sql, [...cells]));
    for (const { id } of answer.rows) ids.push(id);
  }
  // Whatever order the engine answers them in.
  return ids.sort((a, b) => a - b);
}

/** What PostgreSQL is sent for rows. */
export interface PostgresPart {
  readonly sql: string;
  readonly cells: readonly string[];
}

/** What PostgreSQL is sent for all rows: on Citus a part for each shard. */
export async function postgresParts(on: AnyQuery, statement: RowsStatement, rows: Rows): Promise<PostgresPart[]> {
  const { shardOf } = dialectOf(on);
  const { spread } = statement;
  if (shardOf === undefined || spread === undefined) return [postgresRows(statement, rows)];
  return spreadRows(spread, spread.newIdsOf ? await withNewIds(on, spread.newIdsOf, rows) : rows, shardOf);
}

/** The same in one statement. */
export function postgresRows(statement: Pick<RowsStatement, 'columns' | 'postgres'>, rows: Rows): PostgresPart {
  return { sql: textOf(statement), cells: listsOf(statement.columns, rows) };
}

export const spreadRows = (spread: SpreadStatement, rows: Rows, shardOf: ShardOf): PostgresPart[] =>
  byShard(spread, rows, shardOf).map((some) => postgresRows(spread, some));

/** Always in the order of shards, so that transactions never wait for each other in a circle. */
function byShard({ columns, by }: { columns: Columns; by: string }, rows: Rows, shardOf: ShardOf): Rows[] {
  const column = Object.keys(columns).indexOf(by);
  const groups = Map.groupBy(rows, (row) => shardOf(row[column] as number));
  return [...groups].sort(([one], [other]) => one - other).map(([, some]) => some);
}

const TAKE_IDS = prepareText(
  `SELECT nextval(CAST($1 AS regclass)) AS "id" FROM generate_series(1, CAST($2 AS INTEGER))`,
);

async function withNewIds(on: AnyQuery, table: string, rows: Rows): Promise<Rows> {
  const given = await on.executeQuery<{ id: number }>(CompiledQuery.raw(TAKE_IDS, [`"${table}_ids"`, rows.length]));
  const ids = given.rows.map(({ id }) => id).sort((a, b) => a - b);
  return rows.map((row, index) => [...row, ids[index]!]);
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
  /** For a table that Citus distributes: the column of `given` that names the device, and that of the table. */
  readonly spread?: { readonly by: string; readonly where: string };
}

/** What a query answers about rows. */
export async function queryRows<R>(on: AnyQuery, query: RowsQuery, rows: Rows): Promise<R[]> {
  if (rows.length === 0) return [];
  const dialect = dialectOf(on);
  const { columns, spread } = query;
  if (dialect === SQLITE)
    return (await on.executeQuery<R>(CompiledQuery.raw(SQLITE_QUERY(query), [JSON.stringify(rows)]))).rows;
  if (dialect.shardOf === undefined || spread === undefined)
    return (await on.executeQuery<R>(CompiledQuery.raw(POSTGRES_QUERY(query), listsOf(columns, rows)))).rows;
  const found: R[] = [];
  for (const some of byShard({ columns, by: spread.by }, rows, dialect.shardOf))
    found.push(...(await on.executeQuery<R>(CompiledQuery.raw(SPREAD_QUERY(query), listsOf(columns, some)))).rows);
  return found;
}

/** A query about ids, which each engine has as one cell. */
export type IdsQuery = ByDatabase<string> & {
  /** For tables that Citus distributes, with a condition on the device for each table. */
  readonly spread: string;
};

/**
 * @param sql with `{ids}` after the column whose ids they are, and `{same "t"."deviceId"}` where Citus needs the same
 * condition for another column that names the device
 * @param lock the rows that are locked until the transaction ends; SQLite has one writer, which needs no lock
 */
export function idsQuery(sql: string, lock = ''): IdsQuery {
  const list = '= ANY($1::BIGINT[])';
  const textOf = (ids: string, same: (column: string) => string) =>
    sql.replace('{ids}', ids).replaceAll(/\{same ([^}]*)\}/g, (_all, column: string) => same(column));
  return {
    sqlite: textOf('IN (SELECT "value" FROM json_each(?))', () => ''),
    postgres: prepareText(`${textOf(list, () => '')} ${lock}`),
    spread: prepareText(`${textOf(list, (column) => `AND ${column} ${list}`)} ${lock}`),
  };
}

export async function queryIds<R>(on: AnyQuery, query: IdsQuery, ids: readonly number[]): Promise<R[]> {
  const dialect = dialectOf(on);
  const { shardOf } = dialect;
  if (shardOf === undefined) {
    const list = dialect === SQLITE ? `[${ids}]` : `{${ids}}`;
    return (await on.executeQuery<R>(CompiledQuery.raw(dialect.pick(query), [list]))).rows;
  }
  const found: R[] = [];
  for (const some of idsByShard(ids, shardOf))
    found.push(...(await on.executeQuery<R>(CompiledQuery.raw(query.spread, [`{${some}}`]))).rows);
  return found;
}

/** Ids of devices, grouped by shard. */
function idsByShard(ids: readonly number[], shardOf: ShardOf): (readonly number[])[] {
  const groups = Map.groupBy(ids, shardOf);
  return [...groups].sort(([one], [other]) => one - other).map(([, some]) => some);
}

/** The devices that one statement can lock: on Citus those of one shard, in the order of shards. */
export function lockableTogether(on: AnyQuery, deviceIds: readonly number[]): (readonly number[])[] {
  const { shardOf } = dialectOf(on);
  return shardOf === undefined ? [deviceIds] : idsByShard(deviceIds, shardOf);
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

const textOf = remembered(({ columns, postgres }: Pick<RowsStatement, 'columns' | 'postgres'>) =>
  unnestText(columns, postgres),
);
const SQLITE_QUERY = remembered(jsonText);
const POSTGRES_QUERY = remembered(({ columns, sql }: RowsQuery) => unnestText(columns, sql));
const SPREAD_QUERY = remembered(({ columns, sql, spread }: RowsQuery) =>
  unnestText(columns, `${sql} AND ${spread!.where} = ${devicesIn(columns, spread!.by)}`),
);

const listsOf = (columns: Columns, rows: Rows) =>
  Object.values(columns).map((kind, column) => listOf(kind, rows, column));

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
