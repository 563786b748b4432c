import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { backupSqlite } from '@trackway/server/platform/storage/sqlite/backup.ts';
import { databaseFile } from '@trackway/server/platform/storage/sqlite/sqlite.ts';
import { type Command, Failure } from './command.ts';
import { requireDatabase } from './open-store.ts';
import { storeFlags, storeSettingsOf } from './setting-flags.ts';
import { storeFailure } from './store-failure.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Copies the database to a file: consistent, checked, and while the server runs. It overwrites nothing, and copies a database of any version as it is.',
    words: ['file'],
    flags: storeFlags(),
    more: `To restore a copy: stop the server, delete trackway.db, trackway.db-wal and trackway.db-shm in the data
folder, put the copy there as trackway.db, and start the server.

Data in PostgreSQL is copied by its own tools: pg_dump and pg_restore.`,
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    if (settings.databaseUrl) {
      throw new Failure('The data is in PostgreSQL: copy it with pg_dump, restore it with pg_restore.');
    }
    requireDatabase(settings);
    const file = resolve(given.words[0]!);
    if (existsSync(file)) throw new Failure(`The file ${file} already exists. A backup never overwrites a file.`);
    const startedAt = performance.now();
    try {
      await backupSqlite(databaseFile(resolve(settings.data)), file);
    } catch (error) {
      throw new Failure(copyFailure(error, file) ?? storeFailure(error, settings), { cause: error });
    }
    await requireWhole(file);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${file} is a complete copy: ${sizeOf((await stat(file)).size)}, in ${seconds} s.`);
    return 0;
  },
};

function copyFailure(error: unknown, file: string): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || path === undefined || !path.startsWith(file)) return undefined;
  const reason = { ENOENT: 'its folder is not there', EACCES: 'permission denied', ENOSPC: 'the disk is full' }[code];
  return `The file ${file} can not be written: ${reason ?? code}.`;
}

/** A copy that was never looked at is a hope. */
async function requireWhole(file: string): Promise<void> {
  const copy = new DatabaseSync(file, { readOnly: true });
  const [first] = copy.prepare('PRAGMA quick_check(1)').all();
  copy.close();
  if (first?.quick_check === 'ok') return;
  await rm(file);
  throw new Failure(`The copy is damaged and was deleted; so the database is damaged too: ${first?.quick_check}.`);
}

function sizeOf(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  return megabytes >= 1000 ? `${(megabytes / 1000).toFixed(1)} GB` : `${megabytes.toFixed(1)} MB`;
}
