import { MIGRATIONS } from '../domain/schema/migrations.ts';
import type { Store, Tables } from '../domain/schema/tables.ts';
import { openPostgres } from '../platform/storage/postgres.ts';
import { openSqlite } from '../platform/storage/sqlite.ts';

/**
 * Makes all fences and triggers of a store be in force since ever, as if they had been made long ago: a fix is judged by
 * the rules of its own time, and tests and benches send fixes of days gone by. The store must not be in use.
 *
 * @param place a data folder, or an address of a PostgreSQL database
 */
export async function backdateRules(place: string): Promise<void> {
  const options = { migrations: MIGRATIONS };
  const store: Store = place.startsWith('postgres')
    ? await openPostgres<Tables>({ url: place, ...options })
    : await openSqlite<Tables>({ folder: place, ...options });
  try {
    await store.query.updateTable('fenceVersions').set({ validFrom: 0, shapedAt: 0 }).execute();
    await store.query.updateTable('triggerVersions').set({ validFrom: 0 }).execute();
  } finally {
    await store.close();
  }
}
