import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Store } from '@trackway/server/domain/schema/tables.ts';
import { databaseFile } from '@trackway/server/platform/storage/sqlite/sqlite.ts';
import type { Settings } from '@trackway/server/settings.ts';
import { openStore } from '@trackway/server/store.ts';
import { Failure } from './command.ts';
import { storeFailure } from './store-failure.ts';

/** Without this a folder that was mistyped would become an empty database. */
export function requireDatabase(settings: Settings): void {
  const folder = resolve(settings.data);
  if (settings.databaseUrl || existsSync(databaseFile(folder))) return;
  throw new Failure(`There is no database in ${folder}. Name its folder with --data or TRACKWAY_DATA.`);
}

/** Works on the store, beside a running server if there is one: the engines let several processes in. */
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
