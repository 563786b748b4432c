import { CompiledQuery } from 'kysely';
import type { AnyQuery } from './database.ts';
import { dialectOf, SQLITE, type SqlText, textFor } from './dialect.ts';
import { numberPlaceholders } from './placeholders.ts';
import type { Cell } from './shape.ts';

/** Runs SQL with `?` placeholders within a transaction or by itself. */
export async function runSql<R>(on: AnyQuery, sql: SqlText, cells: readonly Cell[]): Promise<R[]> {
  const dialect = dialectOf(on);
  const given = textFor(dialect, sql);
  const text = dialect === SQLITE ? given : numberPlaceholders(given);
  return (await on.executeQuery<R>(CompiledQuery.raw(text, [...cells]))).rows;
}
