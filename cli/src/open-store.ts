import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Settings } from '@trackway/server/app/settings.ts';
import { openStore } from '@trackway/server/app/store.ts';
import type { Store } from '@trackway/server/domain/schema/tables.ts';
import { databaseFile } from '@trackway/server/platform/storage/sqlite/care/log-file.ts';
import { Failure } from './command.ts';
import { storeFailure } from './store-failure.ts';

/** Fails if there is no database, since opening a mistyped folder would create an empty one. */
export function requireDatabase(settings: Settings): void {
  const folder = resolve(settings.data);
  if (settings.databaseUrl || existsSync(databaseFile(folder))) return;
  throw new Failure(`No database found in ${folder}. Set the data folder with --data or TRACKWAY_DATA.`);
}

/** Works on the store, also while a server is running: both databases allow several processes. */
export async function withStore<T>(settings: Settings, work: (store: Store) => Promise<T>): Promise<T> {
  let store: Store;
  try {
    ({ store } = await openStore(settings, { lock: false }));
  } catch (error) {
    throw new Failure(storeFailure(error, settings), { cause: error });
  }
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
