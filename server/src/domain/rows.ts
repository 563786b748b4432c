import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { AnyQuery } from '../platform/storage/database.ts';
import type { Tables, Tx } from './schema/tables.ts';

type Table = keyof Tables;
type Row<T extends Table> = Selectable<Tables[T]>;
type Column<T extends Table> = keyof Row<T> & string;
type Reader = Pick<Tx, 'selectFrom'>;

// biome-ignore lint/suspicious/noExplicitAny: of any tables.
export type CountedQuery = SelectQueryBuilder<any, any, object>;

/** Some columns of the first row with these values. */
export async function findRow<T extends Table, V extends Column<T>, C extends Column<T>>(
  on: Reader,
  table: T,
  values: Pick<Row<T>, V>,
  columns: readonly C[],
): Promise<Pick<Row<T>, C> | undefined> {
  let query = (on as AnyQuery)
    .selectFrom(table as string)
    .select(columns)
    .limit(1);
  for (const [column, value] of Object.entries(values)) query = query.where(column, value === null ? 'is' : '=', value);
  return (await query.executeTakeFirst()) as Pick<Row<T>, C> | undefined;
}

/** The same for a row that exists. */
export async function getRow<T extends Table, V extends Column<T>, C extends Column<T>>(
  on: Reader,
  table: T,
  values: Pick<Row<T>, V>,
  columns: readonly C[],
): Promise<Pick<Row<T>, C>> {
  const found = await findRow(on, table, values, columns);
  if (found === undefined) throw new Error(`No row of ${table} has these values`);
  return found;
}

/** The number of rows of a query that selects no columns yet. */
export async function countRows(query: CountedQuery): Promise<number> {
  const { count } = await query.select((of) => of.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  // PostgreSQL counts in numbers that its driver reads as text.
  return Number(count);
}
