import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { backupSqlite } from '@trackway/server/platform/storage/sqlite/backup.ts';
import { databaseFile } from '@trackway/server/platform/storage/sqlite/care/log-file.ts';
import { type Command, Failure } from './command.ts';
import { requireDatabase } from './open-store.ts';
import { storeFlags, storeSettingsOf } from './setting-flags.ts';
import { storeFailure } from './store-failure.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Back up the database to a file while the server is running. The copy is consistent and verified. An existing file is never overwritten. A database of any version is copied unchanged.',
    args: ['file'],
    flags: storeFlags(),
    more: `To restore a backup: stop the server, run "trackway restore", and start the server.

For PostgreSQL, use pg_dump and pg_restore instead.`,
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    if (settings.databaseUrl) {
      throw new Failure(
        'This command backs up the embedded database only. For PostgreSQL, use pg_dump and pg_restore.',
      );
    }
    requireDatabase(settings);
    const file = resolve(given.args[0]!);
    if (existsSync(file)) throw new Failure(`The file ${file} already exists. Choose another name.`);
    const startedAt = performance.now();
    try {
      await backupSqlite(databaseFile(resolve(settings.data)), file);
    } catch (error) {
      throw new Failure(copyFailure(error, file) ?? storeFailure(error, settings), { cause: error });
    }
    await requireIntactCopy(file);
    noteBackup(databaseFile(resolve(settings.data)), file);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`Backup complete: ${file} (${sizeOf((await stat(file)).size)}, ${seconds} s).`);
    return 0;
  },
};

/**
 * Records the path of the copy, so that an erasure can name it. A database of an older version has no table for that,
 * and a backup must not migrate it.
 */
function noteBackup(database: string, file: string): void {
  const store = new DatabaseSync(database, { timeout: 10_000 });
  try {
    const isThere = store.prepare(`SELECT 1 FROM "sqlite_master" WHERE "name" = 'dataCopies'`).get();
    if (isThere === undefined) return;
    store
      .prepare(`INSERT INTO "dataCopies" ("kind", "place", "machine", "created", "updated") VALUES ('backup', ?, ?, ?, ?)
        ON CONFLICT ("kind", "machine", "place") DO UPDATE SET "updated" = excluded."updated"`)
      .run(file, hostname(), Date.now(), Date.now());
  } catch {
    console.error('The backup could not be recorded in the database: a later erasure will not list it.');
  } finally {
    store.close();
  }
}

/** SQLite's result codes for a full disk and for an I/O error. */
const SQLITE_FULL = 13;
const SQLITE_IOERR = 10;

function copyFailure(error: unknown, file: string): string | undefined {
  const { errcode = 0, message } = error as { errcode?: number; message: string };
  // The database itself is only read, so it is the copy that lacks space.
  if ((errcode & 0xff) === SQLITE_FULL) return `Cannot write the file ${file}: the disk with ${dirname(file)} is full.`;
  if ((errcode & 0xff) === SQLITE_IOERR) return `Cannot write the file ${file}: ${message}.`;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || path === undefined || !path.startsWith(file)) return undefined;
  const reason = { ENOENT: 'the folder does not exist', EACCES: 'permission denied', ENOSPC: 'the disk is full' }[code];
  return `Cannot write the file ${file}: ${reason ?? code}.`;
}

/** Checks the copy, so that a damaged backup is noticed now and not when it is needed. */
async function requireIntactCopy(file: string): Promise<void> {
  const copy = new DatabaseSync(file, { readOnly: true });
  const [first] = copy.prepare('PRAGMA quick_check(1)').all();
  copy.close();
  if (first?.quick_check === 'ok') return;
  await rm(file);
  throw new Failure(
    `The copy failed its integrity check and was deleted. The database itself is probably damaged: ${first?.quick_check}.`,
  );
}

function sizeOf(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  return megabytes >= 1000 ? `${(megabytes / 1000).toFixed(1)} GB` : `${megabytes.toFixed(1)} MB`;
}
