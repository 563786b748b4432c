import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../log.ts';
import { type Migration, missing } from '../migrations.ts';
import { backupSqlite } from './backup.ts';
import { databaseFile } from './care/log-file.ts';
import { openConnection } from './connection.ts';
import { appliedMigrations } from './migrate.ts';

const NAME = /^before-upgrade-.*\.db$/;

/** The backups that were made before migrations, oldest first. */
export const upgradeBackups = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => NAME.test(name))
        .sort()
        .map((name) => join(folder, name))
    : [];

/**
 * Backs up a database that is about to be migrated, so that the version before can be used again. Returns the file, and
 * the older backups that were deleted; undefined if there is nothing to migrate.
 * @param keep how many such backups are kept, at least one
 */
export async function backUpBeforeMigration(
  folder: string,
  { migrations, keep, log }: { readonly migrations: readonly Migration[]; readonly keep: number; readonly log: Log },
): Promise<{ readonly file: string; readonly deleted: readonly string[] } | undefined> {
  const database = databaseFile(folder);
  if (!existsSync(database)) return undefined;
  const due = dueMigrations(database, migrations);
  if (due.length === 0) return undefined;
  await requireSpace(folder, database);
  const file = join(folder, `before-upgrade-${new Date().toISOString().replaceAll(/[-:.]/g, '')}.db`);
  log.info({ file, migrations: due }, 'The database is backed up before it is migrated');
  await backupSqlite(database, file);
  const deleted = upgradeBackups(folder).slice(0, -keep);
  for (const old of deleted) rmSync(old);
  log.info({ file, deleted }, 'The backup is complete. To return to the previous version: trackway downgrade');
  return { file, deleted };
}

/** Empty for a new database, and for one that this version refuses: opening it reports why. */
function dueMigrations(database: string, migrations: readonly Migration[]): string[] {
  const connection = openConnection(database, { readOnly: true });
  try {
    const applied = appliedMigrations(connection) ?? [];
    return applied.length === 0 ? [] : missing('sqlite', migrations, applied).map(({ name }) => name);
  } catch {
    return [];
  } finally {
    connection.close();
  }
}

async function requireSpace(folder: string, database: string): Promise<void> {
  const files = [database, `${database}-wal`].filter((file) => existsSync(file));
  const needed = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= needed) return;
  const megabytes = Math.ceil(needed / 1_000_000);
  throw new Error(
    `This version migrates the database, and the disk of ${folder} has no space for the backup before it (${megabytes} MB). Free up space, or make a backup elsewhere with "trackway backup" and start with TRACKWAY_UPGRADE_BACKUPS=0.`,
  );
}
