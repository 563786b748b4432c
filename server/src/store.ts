import { resolve } from 'node:path';
import { MIGRATIONS } from './domain/schema/migrations.ts';
import type { Store, Tables } from './domain/schema/tables.ts';
import { lockFolder } from './platform/storage/sqlite/lock.ts';
import { openSqlite } from './platform/storage/sqlite/sqlite.ts';
import type { Settings } from './settings.ts';

/** Opens the store that the settings name and migrates it; `release` releases the lock on its folder. */
export async function openStore(
  settings: Settings,
  more: { lock?: boolean } = {},
): Promise<{ store: Store; release: () => void }> {
  const options = { migrations: MIGRATIONS, searchDeadlineMs: settings.searchDeadline };
  if (settings.databaseUrl) {
    // Loaded on demand, so that SQLite installations do not load the driver.
    const { openPostgres } = await import('./platform/storage/postgres/postgres.ts');
    return { store: await openPostgres<Tables>({ url: settings.databaseUrl, ...options }), release: () => {} };
  }
  const folder = resolve(settings.data);
  const release = more.lock === false ? () => {} : lockFolder(folder);
  try {
    return { store: await openSqlite<Tables>({ folder, ...options }), release };
  } catch (error) {
    release();
    throw error;
  }
}
