import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { noteCopy } from '../domain/history/data-copies.ts';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import type { Store, Tables } from '../domain/schema/tables.ts';
import { timeNow } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Migration } from '../platform/storage/migrations.ts';
import { startCare } from '../platform/storage/sqlite/care/care.ts';
import { acceptDamage, readDamage, recordDamage, setAside } from '../platform/storage/sqlite/care/damage-record.ts';
import {
  DatabaseLost,
  examineLog,
  isClosed,
  requireDatabaseOfTraces,
} from '../platform/storage/sqlite/care/examine.ts';
import { FolderInUse, lockFolder } from '../platform/storage/sqlite/locks.ts';
import { backUpBeforeMigration } from '../platform/storage/sqlite/migrate.ts';
import { openSqlite } from '../platform/storage/sqlite/sqlite.ts';
import type { Settings } from './settings.ts';

export interface OpenedStore {
  readonly store: Store;
  /** Releases the lock on the folder of the store. */
  readonly release: () => Promise<void>;
}

/**
 * Opens the store that the settings name and migrates it.
 * @param more.log given by a server, which looks after the files of the database while it runs
 */
export async function openStore(
  settings: Settings,
  more: { lock?: boolean; log?: Log; migrations?: readonly Migration[] } = {},
): Promise<OpenedStore> {
  const { migrations = MIGRATIONS } = more;
  const options = { migrations, searchDeadlineMs: settings.searchDeadline };
  if (settings.databaseUrl) {
    // Loaded on demand, so that SQLite installations do not load the driver.
    const { CONNECTIONS_APART, openPostgres } = await import('../platform/storage/postgres/postgres.ts');
    const say = (sentence: string) => (more.log ? more.log.warn({}, sentence) : console.error(sentence));
    const { databaseUrl: url, databaseDirectUrl, databasePrepared: preparesStatements } = settings;
    const notices = more.log && { url: databaseDirectUrl, log: more.log };
    const poolSize = settings.databaseConnections - CONNECTIONS_APART;
    const store = await openPostgres<Tables>({ url, say, ...options, preparesStatements, poolSize, notices });
    return { store, release: async () => {} };
  }
  const folder = resolve(settings.data);
  const isServed = more.lock !== false;
  const unlock = isServed ? lockFolder(folder) : lockIfFree(folder);
  try {
    // The process that serves the folder has examined it already.
    const lost = unlock === undefined ? false : examine(folder, settings, isServed);
    if (!isServed) unlock?.();
    const { upgradeBackups: keep } = settings;
    const backup =
      isServed && more.log && keep > 0
        ? await backUpBeforeMigration(folder, { migrations, keep, log: more.log })
        : undefined;
    const store = await openSqlite<Tables>({ folder, ...options, isMarked: isServed, restartsLog: lost });
    if (!isServed) return { store, release: async () => {} };
    if (backup) await noteCopies(store, backup);
    const losses = readDamage(folder).map(({ sentence }) => sentence);
    const { log } = more;
    const care = log && startCare(folder, store.condition, { log, losses, isAccepted: settings.acceptDamage });
    // Stopped first: the last connection that is closed deletes the log, which must not count as lost.
    const close = async () => {
      await care?.stop();
      await store.close();
    };
    return { store: { ...store, close }, release: async () => unlock?.() };
  } catch (error) {
    unlock?.();
    throw error;
  }
}

/** An erasure names the copies of the data. */
async function noteCopies(
  store: Store,
  { file, deleted }: { readonly file: string; readonly deleted: readonly string[] },
): Promise<void> {
  await noteCopy(store, 'backup', file, timeNow());
  if (deleted.length > 0)
    await store.query
      .deleteFrom('dataCopies')
      .where('machine', '=', hostname())
      .where('place', 'in', deleted)
      .execute();
}

/** Returns whether a part of the log is lost, after that was written down. */
function examine(folder: string, { startEmpty, acceptDamage: isAccepted }: Settings, isServed: boolean): boolean {
  try {
    requireDatabaseOfTraces(folder);
  } catch (error) {
    if (!(error instanceof DatabaseLost) || !startEmpty) throw error;
    setAside(folder, new Date());
  }
  const lost = examineLog(folder);
  recordDamage(folder, lost, new Date());
  if (isAccepted && isServed) acceptDamage(folder, new Date());
  return lost.length > 0;
}

/** Where there is nothing to examine, it is not in the way of a server that starts. */
function lockIfFree(folder: string): (() => void) | undefined {
  if (isClosed(folder)) return undefined;
  try {
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUse) return undefined;
    throw error;
  }
}
