import { CompiledQuery } from 'kysely';
import { type RowsStatement, runRows } from './bulk.ts';
import type { AnyQuery } from './database.ts';
import { dialectOf, SQLITE } from './dialect.ts';
import type { Cell } from './shape.ts';

type Rows = readonly (readonly Cell[])[];

/**
 * A statement that runs as the last of its transaction. On PostgreSQL it is sent together with the commit, so the locks it
 * takes never wait for this process; and what several calls in one transaction give is written by one statement.
 */
export interface LastStatement {
  readonly sqlite: RowsStatement;
  readonly postgres: RowsStatement;
  /** The same where rows are spread over servers: statements that one of them can do whole, for rows of one slot. */
  readonly spread: readonly RowsStatement[];
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
