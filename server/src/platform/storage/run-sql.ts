import { CompiledQuery } from 'kysely';
import type { AnyQuery } from './database.ts';
import { numberPlaceholders } from './placeholders.ts';
import type { Cell } from './shape.ts';
import type { StoreKind } from './store-kind.ts';

/** Runs SQL with `?` placeholders within a transaction or by itself. */
export async function runSql<R>(on: AnyQuery, storeKind: StoreKind, sql: string, cells: readonly Cell[]): Promise<R[]> {
  const text = storeKind === 'postgres' ? numberPlaceholders(sql) : sql;
  return (await on.executeQuery<R>(CompiledQuery.raw(text, [...cells]))).rows;
}
