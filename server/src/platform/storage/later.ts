import { CompiledQuery } from 'kysely';
import { postgresRows, type RowBatch, runAll } from './bulk.ts';
import type { AnyQuery } from './database.ts';
import type { Cell } from './shape.ts';
import type { StoreKind } from './store-kind.ts';

/**
 * Statements of a transaction that nobody waits for. On PostgreSQL they are sent in one message with the next statement of
 * the transaction, or with its commit, so each costs no way there and back; whatever comes after them sees what they did,
 * and one that fails lets that fail. SQLite runs them at once.
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
export async function runLater(tx: AnyQuery, storeKind: StoreKind, works: readonly RowBatch[]): Promise<void> {
  if (storeKind === 'sqlite') return runAll(tx, storeKind, works);
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

/** Asks PostgreSQL something whose answer is there once another statement was run. */
export async function askLater<R>(
  tx: AnyQuery,
  sql: string,
  cells: readonly Cell[],
): Promise<{ readonly rows: Promise<readonly R[]> }> {
  const { promise, resolve } = Promise.withResolvers<readonly R[]>();
  // Whoever asked may have failed before.
  promise.catch(() => {});
  await later(tx, [{ sql, cells, answered: resolve as (rows: Promise<readonly unknown[]>) => void }]);
  return { rows: promise };
}
