import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspectStore } from '@trackway/server/app/inspect.ts';
import { moveToPostgres } from '@trackway/server/app/move.ts';
import type { Settings } from '@trackway/server/app/settings.ts';
import { MoveRefused } from '@trackway/server/platform/storage/move/target.ts';
import { databaseFile } from '@trackway/server/platform/storage/sqlite/care/log-file.ts';
import { FolderInUse, lockFolder } from '@trackway/server/platform/storage/sqlite/locks.ts';
import { keyFile } from '@trackway/server/platform/vault.ts';
import { type Command, Failure, UsageError } from '../command.ts';
import { dataLocation } from '../data-location.ts';
import { requireDatabase } from '../open-store.ts';
import { dataFlags, storeSettingsOf } from '../setting-flags.ts';
import { problemsOf } from '../setting-rules.ts';
import { storeFailure } from '../store-failure.ts';
import { table } from '../table.ts';
import { showMove } from './show-move.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Move the embedded database to PostgreSQL. The server must be stopped until the move is done. The data folder is not changed. At the end, the rows of both databases are counted and compared.',
    flags: {
      to: {
        about:
          'postgres://… of an empty database, not through a pooler. The password can be set in PGPASSWORD instead.',
        takes: 'URL',
      },
      ...dataFlags(),
    },
    more: `If the move is interrupted, run it again: it goes on where it stopped. No server starts on a database that holds
an unfinished move. To give up a move, drop the database: the data folder is as it was.

Secrets stay encrypted with the same key. The first server on PostgreSQL needs the file trackway.key of the data
folder; if it has TRACKWAY_SECRET too, it encrypts them anew, and no server needs the file after that.

Example:
  createdb trackway
  trackway move --to postgres://trackway@localhost/trackway`,
  }),

  async run(given) {
    const { to } = given.flags;
    if (to === undefined) throw new UsageError('Missing flag: --to postgres://…');
    // Only the folder is used: the settings may already contain the new database URL.
    const settings = { ...storeSettingsOf(given), databaseUrl: '' };
    const target = { ...settings, databaseUrl: to };
    if (problemsOf(target).length > 0)
      throw new UsageError('--to must be a URL like postgres://user:password@host:5432/database.');
    requireDatabase(settings);
    const folder = resolve(settings.data);
    const release = lock(folder, settings);
    try {
      await requireCurrent(settings);
      await moveNow(folder, target);
      return 0;
    } finally {
      release();
    }
  },
};

function lock(folder: string, settings: Settings): () => void {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUse)
      throw new Failure(
        `A server is using the folder ${folder}. Stop it first: data that it stores now would not be moved.`,
        {
          cause: error,
        },
      );
    throw new Failure(storeFailure(error, settings), { cause: error });
  }
}

/** A migration would change the source. */
async function requireCurrent(settings: Settings): Promise<void> {
  let due: readonly string[];
  try {
    ({ due } = await inspectStore(settings));
  } catch (error) {
    throw new Failure(storeFailure(error, settings), { cause: error });
  }
  if (due.length > 0)
    throw new Failure(
      'The database is from an older version. Start this version of the server on it once, then stop it.',
    );
}

async function moveNow(folder: string, target: Settings): Promise<void> {
  const progress = showMove();
  const startedAt = performance.now();
  let moved: Awaited<ReturnType<typeof moveToPostgres>>;
  try {
    moved = await moveToPostgres(databaseFile(folder), target.databaseUrl, progress.report);
  } catch (error) {
    const reason = error instanceof MoveRefused ? error.message : storeFailure(error, target).replace(CHECK, CHECK_TO);
    throw new Failure(reason, { cause: error });
  } finally {
    progress.stop();
  }
  const filled = moved.tables.filter(({ rows }) => rows > 0);
  const lines = filled.map(({ table: name, checksum }) => [name, ...checksum.split(' rows, ')]);
  console.log(table(['Table', 'Rows', 'Checksum, the same on both'], lines));
  const rows = filled.reduce((sum, one) => sum + one.rows, 0);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`\nMoved: ${rows} rows of ${filled.length} tables to ${dataLocation(target)} (${seconds} s).`);
  console.log('Start the server with TRACKWAY_DATABASE_URL set to this database.');
  if (existsSync(keyFile(folder)))
    console.log(
      `Its secrets are encrypted with ${keyFile(folder)}: start the first server with this data folder, and set TRACKWAY_SECRET for all servers.`,
    );
  else console.log('Its secrets are encrypted with TRACKWAY_SECRET: all servers need the same one.');
}

const CHECK = 'TRACKWAY_DATABASE_URL';
const CHECK_TO = '--to';
