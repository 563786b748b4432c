import { sql } from 'kysely';
import type { AnyQuery } from './database.ts';
import type { StoreKind } from './store-kind.ts';

/**
 * The id of a row that is to be inserted, for a table where something else follows from the id: on PostgreSQL out of the
 * table's sequence. SQLite gives ids as rows are inserted, and needs none before.
 */
export async function newId(on: AnyQuery, storeKind: StoreKind, table: string): Promise<{ id?: number }> {
  if (storeKind === 'sqlite') return {};
  const { rows } = await sql<{ id: number }>`SELECT nextval(${`"${table}_ids"`}) AS "id"`.execute(on);
  return { id: rows[0]!.id };
}
