import assert from 'node:assert/strict';
import { CompiledQuery } from 'kysely';
import type { Store } from '../../domain/schema/tables.ts';
import type { Columns, IdsQuery, RowsQuery, RowsStatement } from '../../platform/storage/bulk.ts';
import type { StoreKind } from '../../platform/storage/dialect.ts';

/** How a database runs statements, for tests that no statement reads a whole table. */

interface Statement {
  readonly sql: string;
  readonly parameters?: readonly unknown[];
}

/** PostgreSQL reads an empty table whole, unless that is forbidden. */
const WITHOUT_SCANS = 'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off';

export function planOf(store: Store, { sql, parameters = [] }: Statement, settings = WITHOUT_SCANS): Promise<string> {
  const isSqlite = store.dialect.name === 'sqlite';
  return store.transaction(async (tx) => {
    if (!isSqlite) await tx.executeQuery(CompiledQuery.raw(settings));
    const explained = CompiledQuery.raw(`${isSqlite ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`, [...parameters]);
    const { rows } = await tx.executeQuery<Record<string, string>>(explained);
    return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
  });
}

const TYPES: Readonly<Record<Columns[string], string>> = {
  integer: 'BIGINT',
  flag: 'BIGINT',
  time: 'BIGINT',
  number: 'DOUBLE PRECISION',
  text: 'TEXT',
  json: 'JSONB',
  texts: 'JSONB',
  bytes: 'BYTEA',
};

/** Two rows, as `given`. */
function given(columns: Columns, sql: string): string {
  const lists = Object.values(columns).map((kind) => `'{1,2}'::${TYPES[kind]}[]`);
  return `WITH given ("${Object.keys(columns).join('", "')}") AS (SELECT * FROM unnest(${lists})) ${sql}`;
}

const isRowsStatement = (statement: object): statement is RowsStatement =>
  'columns' in statement && 'sqlite' in statement;
const isRowsQuery = (statement: object): statement is RowsQuery => 'columns' in statement;

/** The text of a statement as the database gets it, with a value for each parameter. */
export function statementText(storeKind: StoreKind, statement: RowsStatement | RowsQuery | IdsQuery): string {
  const isSqlite = storeKind === 'sqlite';
  if (isRowsStatement(statement))
    return isSqlite ? statement.sqlite.replaceAll('?', "'1'") : given(statement.columns, statement.postgres);
  if (isRowsQuery(statement)) {
    if (!isSqlite) return given(statement.columns, statement.sql);
    const names = Object.keys(statement.columns);
    const cells = names.map((_, index) => `"value" ->> ${index}`);
    return `WITH given ("${names.join('", "')}") AS (SELECT ${cells} FROM json_each('[]')) ${statement.sql}`;
  }
  return isSqlite ? statement.sqlite.replaceAll('?', "'[1]'") : statement.postgres.replaceAll('$1', "'{1,2}'");
}

/** Rows that are given to a statement, and single rows. */
const WHOLE: Readonly<Record<StoreKind, RegExp>> = {
  sqlite: /^SCAN (?!given|json_each|CONSTANT|\d+ CONSTANT)/m,
  postgres: /Seq Scan on (?!given)/,
};

/** Asserts that a statement reads no table whole, and finds its rows by an index. */
export async function assertIndexed(
  store: Store,
  name: string,
  sql: string,
  { index, parameters }: { readonly index?: RegExp; readonly parameters?: readonly unknown[] } = {},
): Promise<void> {
  const plan = await planOf(store, { sql, parameters });
  assert.doesNotMatch(plan, WHOLE[store.dialect.name], `${name}:\n${plan}`);
  if (index !== undefined) assert.match(plan, index, `${name}:\n${plan}`);
}
