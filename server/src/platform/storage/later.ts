import { CompiledQuery } from 'kysely';
import { postgresRows, type RowBatch, runAll } from './bulk.ts';
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
  await later(
    tx,
    due.map(([statement, rows]) => {
      const { sql, parameters } = postgresRows(statement, rows);
      return { sql, cells: parameters };
    }),
  );
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
