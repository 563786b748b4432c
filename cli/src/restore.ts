import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Settings } from '@trackway/server/app/settings.ts';
import { OF_DATABASE, setAside } from '@trackway/server/platform/storage/sqlite/care/damage-record.ts';
import { checkDatabaseFile } from '@trackway/server/platform/storage/sqlite/care/examine.ts';
import { databaseFile } from '@trackway/server/platform/storage/sqlite/care/log-file.ts';
import { FolderInUse, lockFolder } from '@trackway/server/platform/storage/sqlite/locks.ts';
import { keyFile } from '@trackway/server/platform/vault.ts';
import { type Command, Failure } from './command.ts';
import { storeFlags, storeSettingsOf } from './setting-flags.ts';
import { storeFailure } from './store-failure.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Restore the database from a file made by "trackway backup". The server must be stopped. The file is checked before anything is replaced.',
    args: ['file'],
    flags: {
      ...storeFlags(),
      replace: {
        about: 'Replace the database in the data folder. The old one is kept in a folder next to it.',
      },
    },
    more: 'For PostgreSQL, use pg_dump and pg_restore instead.',
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    if (settings.databaseUrl)
      throw new Failure('This command restores the embedded database only. For PostgreSQL, use pg_restore.');
    const file = resolve(given.args[0]!);
    if (!existsSync(file)) throw new Failure(`There is no file ${file}.`);
    await restoreFile(settings, file, given.flags.replace === 'true');
    return 0;
  },
};

/** Restores the database from a file. The one that is there is kept in a folder next to it. */
export async function restoreFile(settings: Settings, file: string, mayReplace: boolean): Promise<void> {
  const folder = resolve(settings.data);
  const release = lock(folder, (error) => storeFailure(error, settings));
  try {
    const isFilled = readdirSync(folder).some((name) => OF_DATABASE.test(name));
    if (isFilled && !mayReplace)
      throw new Failure(
        `There is a database in ${folder}. To replace it, add --replace: it is kept in a folder next to the new one.`,
      );
    const copy = join(folder, 'restoring.db');
    try {
      await installCopy(file, copy);
      const users = await requireIntact(copy, file);
      const aside = isFilled ? setAside(folder, new Date()) : undefined;
      renameSync(copy, databaseFile(folder));
      flush(folder);
      console.log(`Restored: ${databaseFile(folder)} (${users === 1 ? '1 user' : `${users} users`}).`);
      if (aside) console.log(`The previous database is kept in ${aside}.`);
      if (!existsSync(keyFile(folder)))
        console.log(
          `Its secrets are encrypted: before the start, put the file trackway.key of the server that was backed up into ${folder}, or set its TRACKWAY_SECRET.`,
        );
    } finally {
      rmSync(copy, { force: true });
    }
  } finally {
    release();
  }
}

function lock(folder: string, explain: (error: unknown) => string): () => void {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUse)
      throw new Failure(`A server is using the folder ${folder}. Stop it first.`, { cause: error });
    throw new Failure(explain(error), { cause: error });
  }
}

async function installCopy(file: string, copy: string): Promise<void> {
  try {
    await copyFile(file, copy);
    chmodSync(copy, 0o600);
    flush(copy);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(
      code === 'ENOSPC' ? `There is no space for the database: free up space on the disk with ${copy}.` : message,
      { cause: error },
    );
  }
}

/** Checks the whole copy, so that nothing is replaced by a damaged or unrelated file. Counts its users. */
async function requireIntact(copy: string, file: string): Promise<number> {
  const found = await checkDatabaseFile(copy, { thorough: true }).findings;
  if (found.length > 0) throw new Failure(`The file ${file} is damaged and was not restored: ${found[0]}.`);
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    return Number(
      database.prepare('SELECT COUNT(*) AS "users" FROM "users", (SELECT 1 FROM "migrations" LIMIT 1)').get()!.users,
    );
  } catch (error) {
    throw new Failure(`The file ${file} is not a backup of Trackway and was not restored.`, { cause: error });
  } finally {
    database.close();
  }
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
