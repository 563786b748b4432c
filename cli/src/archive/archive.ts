import { resolve } from 'node:path';
import { type ArchiveResult, archive } from '@trackway/server/domain/history/archive.ts';
import { ARCHIVED } from '@trackway/server/domain/history/archived-tables.ts';
import { noteCopy } from '@trackway/server/domain/history/data-copies.ts';
import { NotAnArchive } from '@trackway/server/domain/history/manifest.ts';
import { FolderInUse, lockFolder } from '@trackway/server/platform/storage/sqlite/locks.ts';
import { type Command, Failure, UsageError } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { table } from '../table.ts';
import { version } from '../version.ts';
import { showArchive } from './show-archive.ts';

const DAY_MS = 86_400_000;
/** Late reports are evaluated together with data of this age; see TRACKWAY_LATE_WINDOW. */
const STAYS_DAYS = 60;

export const command: Command = {
  describe: () => ({
    about:
      'Write positions, readings, trips, stops and notifications to Parquet files, one for each month and group of devices. The server can keep running.',
    flags: {
      to: { about: 'The folder of the archive. It is created if it does not exist.', takes: 'FOLDER' },
      before: {
        about: 'Only months that end by this day (UTC), such as 2026-01-01 [default: today].',
        takes: 'DATE',
      },
      remove: {
        about: `Remove the positions and readings that are in the archive from the database; only those older than ${STAYS_DAYS} days. The newest of each device is kept.`,
      },
      ...storeFlags(),
    },
    more: `Run it again, every month for example, to add what came since. If it is interrupted, run it again: it goes on
where it stopped. manifest.json lists the files with their number of rows, ranges and checksums.

Only folders are offered: to have an archive in an object store, copy the folder there.

Example, with DuckDB:
  trackway archive --to /srv/archive --before 2026-01-01
  duckdb -c "SELECT deviceId, count(*) FROM '/srv/archive/positions/*/*.parquet' GROUP BY deviceId"`,
  }),

  async run(given) {
    const { to } = given.flags;
    if (to === undefined) throw new UsageError('Missing flag: --to FOLDER');
    if (/^[a-z][a-z0-9+]*:\/\//i.test(to)) throw new UsageError('--to must be a folder on this machine.');
    const removes = given.flags.remove === 'true';
    const before = beforeOf(given.flags.before, removes);
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    const folder = resolve(to);
    const release = locked(folder);
    const progress = showArchive();
    try {
      const result = await withStore(settings, async (store) => {
        // Recorded first, so that an erasure names the archive even if this run fails.
        await noteCopy(store, 'archive', folder, Date.now());
        return archive(store, { folder, before, removes, program: version(), report: progress.report });
      });
      progress.stop();
      printResult(folder, result, removes);
      return 0;
    } catch (error) {
      if (error instanceof NotAnArchive) throw new Failure(error.message, { cause: error });
      throw writeFailure(error, folder) ?? error;
    } finally {
      progress.stop();
      release();
    }
  },
};

function beforeOf(text: string | undefined, removes: boolean): number {
  const now = Date.now();
  const before = text === undefined ? now : Date.parse(text);
  if (Number.isNaN(before) || (text !== undefined && !/^\d{4}-\d\d-\d\d/.test(text)))
    throw new UsageError('--before must be a date like 2026-01-01.');
  const latest = now - STAYS_DAYS * DAY_MS;
  if (!removes || before <= latest) return before;
  if (text === undefined) return latest;
  throw new UsageError(
    `With --remove, --before can be ${new Date(latest).toISOString().slice(0, 10)} at the latest: late reports are evaluated together with newer data.`,
  );
}

function locked(folder: string): () => void {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUse)
      throw new Failure(`Another process is using the folder ${folder}.`, { cause: error });
    throw writeFailure(error, folder) ?? error;
  }
}

function writeFailure(error: unknown, folder: string): Failure | undefined {
  const { code } = error as NodeJS.ErrnoException;
  const reason = { EACCES: 'permission denied', EROFS: 'the disk is read-only', ENOSPC: 'the disk is full' }[
    code ?? ''
  ];
  return reason ? new Failure(`Cannot write to ${folder}: ${reason}.`, { cause: error }) : undefined;
}

function printResult(
  folder: string,
  { isResumed, files, written, removed, waiting }: ArchiveResult,
  removes: boolean,
): void {
  const rowsOf = (name: string) => files.reduce((sum, file) => sum + (file.table === name ? file.rows : 0), 0);
  const lines = ARCHIVED.map((name) => [name, String(written[name]), String(rowsOf(name))]);
  console.log(table(['Table', 'Rows written now', 'Rows in the archive'], lines));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const resumed = isResumed ? ' An earlier run was continued.' : '';
  console.log(
    `\nArchive: ${folder}, ${files.length} ${files.length === 1 ? 'file' : 'files'}, ${(bytes / 1_000_000).toFixed(1)} MB.${resumed}`,
  );
  if (removes) console.log(`Removed ${removed} rows from the database.`);
  if (waiting > 0)
    console.log(
      `The positions of ${waiting} ${waiting === 1 ? 'device' : 'devices'} are kept until a running server has packed their trips. Run this again later.`,
    );
}
