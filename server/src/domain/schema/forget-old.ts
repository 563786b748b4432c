import { type RawBuilder, sql } from 'kysely';
import type { Store, Tables } from './tables.ts';

const SLICE = 1000;

/** Tables whose rows have an id. */
type Aging = { [T in keyof Tables]: Tables[T] extends { id: unknown } ? T : never }[keyof Tables];

/**
 * Deletes rows from before a time, by a column or expression that has an index: in slices in its order, so that other
 * writes do not wait long.
 */
export async function forgetOld<T extends Aging>(
  store: Store,
  table: T,
  age: (keyof Tables[T] & string) | RawBuilder<number>,
  before: number,
): Promise<void> {
  const at = typeof age === 'string' ? sql.ref(age) : age;
  for (;;) {
    const { rows } = await sql<{ id: number }>`SELECT "id" FROM ${sql.table(table)} WHERE ${at} < ${before}
      ORDER BY ${at} LIMIT ${SLICE}`.execute(store.query);
    if (rows.length === 0) return;
    await sql`DELETE FROM ${sql.table(table)} WHERE "id" IN (${sql.join(rows.map(({ id }) => id))})`.execute(
      store.query,
    );
    if (rows.length < SLICE) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
