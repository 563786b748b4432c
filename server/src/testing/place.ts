import { MIGRATIONS } from '../domain/schema/migrations.ts';
import type { Store, Tables } from '../domain/schema/tables.ts';
import { openPostgres } from '../platform/storage/postgres/postgres.ts';
import { openSqlite } from '../platform/storage/sqlite/sqlite.ts';
import type { TestDatabasePlace } from './databases.ts';

/** For tests of the whole, which know nothing else of the schema. */
export { MIGRATIONS };

/** Reads a store from outside, whether or not a server runs on it. */
export async function lookInto<T>(place: TestDatabasePlace, look: (store: Store) => Promise<T>): Promise<T> {
  const options = { migrations: MIGRATIONS };
  const store: Store = place.startsWith('postgres')
    ? await openPostgres<Tables>({ url: place, ...options })
    : await openSqlite<Tables>({ folder: place, ...options });
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}
