import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { recentlyUsed } from '../../caches.ts';
import { NotUnique } from '../database.ts';
import type { Cell, Row } from '../shape.ts';
import { StoreTrouble, sqliteTrouble } from '../trouble.ts';
import type { Statement } from '../work.ts';

type Rows = readonly (readonly Cell[])[];

/** One statement with its cells, or several statements, each for many rows. */
export type Order =
  | { readonly sql: string; readonly cells: readonly Cell[] }
  | { readonly each: readonly { readonly sql: string; readonly rows: Rows }[] };

export interface StatementResult {
  /** The rows that the statement returned; for many rows, the ids that the last statement inserted. */
  readonly rows: readonly Row[] | readonly number[] | Rows;
  /** The names of the cells, if rows are lists. */
  readonly columns?: readonly string[];
  readonly changes?: number | bigint;
  readonly insertId?: number | bigint;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/**
 * Runs statements on a connection, each prepared once.
 * @param asLists returns rows as lists of cells, which takes half the time to send to another thread
 */
export function statementRunner(connection: DatabaseSync, asLists = false): (order: Order) => StatementResult {
  const prepared = recentlyUsed<Prepared>(256, (sql) => {
    const statement = connection.prepare(sql);
    statement.setReturnArrays(asLists);
    return { statement, columns: statement.columns().map(({ name }) => name) };
  });
  return (order) => {
    if ('each' in order) {
      let lastId = 0;
      for (const { sql, rows } of order.each) lastId = runEach(prepared(sql).statement, rows);
      // Ids are consecutive because there is only one writer, so the last one determines them all.
      const count = order.each.at(-1)?.rows.length ?? 0;
      return { rows: Array.from({ length: count }, (_, row) => lastId - count + 1 + row) };
    }
    const { statement, columns } = prepared(order.sql);
    if (columns.length > 0) {
      const rows = statement.all(...order.cells);
      return asLists ? { rows: rows as unknown as Rows, columns } : { rows: rows as Row[] };
    }
    const { changes, lastInsertRowid: insertId } = statement.run(...order.cells);
    return { rows: [], changes, insertId };
  };
}

/**
 * A statement of the hot path, on a connection of this thread.
 * @param failed called with every error before it is thrown
 */
export function statementOn<R>(
  connection: DatabaseSync,
  sql: string,
  failed: (error: unknown) => void = () => {},
): Statement<R> {
  const statement = connection.prepare(sql);
  const fail = (cause: unknown): never => {
    const error = toStoreError(cause);
    failed(error);
    throw error;
  };
  return {
    async get(...cells: Cell[]) {
      try {
        return statement.get(...cells) as R | undefined;
      } catch (error) {
        return fail(error);
      }
    },
    async all(...cells: Cell[]) {
      try {
        return statement.all(...cells) as R[];
      } catch (error) {
        return fail(error);
      }
    },
    async lists(...cells: Cell[]) {
      statement.setReturnArrays(true);
      try {
        return statement.all(...cells) as unknown as Rows;
      } catch (error) {
        return fail(error);
      } finally {
        statement.setReturnArrays(false);
      }
    },
  };
}

/** Returns the rows of a result in either form. */
export function rowsOf({ rows, columns }: StatementResult): readonly unknown[] {
  if (columns === undefined) return rows;
  return (rows as Rows).map((cells) => {
    const row: Row = {};
    for (const [index, name] of columns.entries()) row[name] = cells[index]!;
    return row;
  });
}

/** Answers the id that was inserted last. */
function runEach(statement: StatementSync, rows: Rows): number {
  const last = rows.length - 1;
  // Unlike `run`, `get` creates no result object.
  for (let row = 0; row < last; row++) statement.get(...rows[row]!);
  return statement.run(...rows[last]!).lastInsertRowid as number;
}

const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** The error in the form for code above the store: a value that is not unique, trouble of the store, or itself. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreTrouble) return error;
  const kind = sqliteTrouble(error);
  return kind === undefined ? toNotUnique(error) : new StoreTrouble(kind, error);
}

/** Parses `UNIQUE constraint failed: t.a, t.b`, or `… failed: index 'name'` if the index is over an expression. */
function toNotUnique(error: unknown): unknown {
  const { errcode, message } = error as { errcode?: number; message: string };
  if (errcode !== SQLITE_CONSTRAINT_UNIQUE && errcode !== SQLITE_CONSTRAINT_PRIMARYKEY) return error;
  const columns = [...message.matchAll(/[:,] [^.,']+\.([^.,']+)/g)].map((match) => match[1]!);
  return new NotUnique(columns, error);
}
