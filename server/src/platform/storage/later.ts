import { CompiledQuery } from 'kysely';
import { postgresParts, type RowBatch, type RowsStatement, runAll, runRows, type SpreadStatement } from './bulk.ts';
import type { AnyQuery } from './database.ts';
import { dialectOf, SQLITE } from './dialect.ts';
import { numberPlaceholders, prepareText } from './run-sql.ts';
import type { Cell } from './shape.ts';

/**
 * Pipelined statements of a transaction, whose results are not awaited. On PostgreSQL they are sent in one message with
 * the next statement of the transaction, or with its commit, which saves a round trip. Later statements see their
 * effects, and fail if one of them failed. SQLite runs them at once.
 */
export interface LaterStatement {
  readonly sql: string;
  readonly cells: readonly unknown[];
  /** Told the rows, once they are there. */
  readonly answered?: (rows: Promise<readonly unknown[]>) => void;
}

/** No SQL: connections to PostgreSQL know it, and keep its only parameter, a list of statements, for the next message. */
export const LATER = 'later';

const later = (tx: AnyQuery, statements: readonly LaterStatement[]) =>
  tx.executeQuery(CompiledQuery.raw(LATER, [statements]));

/** One statement after the other, each for its rows. */
export async function runLater(tx: AnyQuery, works: readonly RowBatch[]): Promise<void> {
  if (dialectOf(tx) === SQLITE) return runAll(tx, works);
  const due = works.filter(([, rows]) => rows.length > 0);
  if (due.length === 0) return;
  const statements: LaterStatement[] = [];
  for (const [statement, rows] of due) statements.push(...(await postgresParts(tx, statement, rows)));
  await later(tx, statements);
}

const numbered = new Map<string, string>();

/** Such statements run often, and their texts are constant. */
function preparedText(sql: string): string {
  const known = numbered.get(sql);
  if (known !== undefined) return known;
  const text = prepareText(numberPlaceholders(sql));
  numbered.set(sql, text);
  return text;
}

/** Asks PostgreSQL something whose answer is there once another statement was run. */
export async function askLater<R>(
  tx: AnyQuery,
  sql: string,
  cells: readonly Cell[],
): Promise<{ readonly rows: Promise<readonly R[]> }> {
  const { promise, resolve } = Promise.withResolvers<readonly R[]>();
  // The caller may already have failed.
  promise.catch(() => {});
  await later(tx, [
    { sql: preparedText(sql), cells, answered: resolve as (rows: Promise<readonly unknown[]>) => void },
  ]);
  return { rows: promise };
}

type Rows = readonly (readonly Cell[])[];

/**
 * A statement that runs as the last of its transaction. On PostgreSQL it is sent together with the commit, so the locks it
 * takes never wait for this process; and what several calls in one transaction give is written by one statement.
 */
export interface LastStatement {
  readonly sqlite: RowsStatement;
  readonly postgres: RowsStatement;
  /** The same on Citus, which runs it in steps. */
  readonly spread: readonly SpreadStatement[];
  /** The rows of the whole transaction as the statement of PostgreSQL takes them. */
  arrange(rows: Rows): Rows;
}

/** The rows that a transaction has for a last statement so far. */
export interface RowsAtCommit {
  readonly statement: LastStatement;
  readonly rows: Rows;
}

/** No SQL: connections to PostgreSQL know it, and keep its only parameter for the commit. */
export const AT_COMMIT = 'at commit';

export async function runAtCommit(tx: AnyQuery, statement: LastStatement, rows: Rows): Promise<void> {
  if (rows.length === 0) return;
  if (dialectOf(tx) === SQLITE) await runRows(tx, statement.sqlite, rows);
  else await tx.executeQuery(CompiledQuery.raw(AT_COMMIT, [{ statement, rows } satisfies RowsAtCommit]));
}

/** One for each statement, with the rows of all. */
export function joinedRows(waiting: readonly RowsAtCommit[]): RowsAtCommit[] {
  const rowsOf = new Map<LastStatement, (readonly Cell[])[]>();
  for (const { statement, rows } of waiting) rowsOf.set(statement, [...(rowsOf.get(statement) ?? []), ...rows]);
  return [...rowsOf].map(([statement, rows]) => ({ statement, rows: statement.arrange(rows) }));
}
