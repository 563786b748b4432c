import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../log.ts';
import { type AppliedMigration, type Migration, type MigrationSession, migrate, missing } from '../migrations.ts';
import { backupSqlite } from './backup.ts';
import { databaseFile } from './care/log-file.ts';
import { openConnection } from './connection.ts';

/**
 * Migrations within one process run one at a time: waiting for the lock blocks the thread, and with it a holder on the
 * same thread.
 */
let previous: Promise<void> = Promise.resolve();

export function migrateSqlite(writer: DatabaseSync, migrations: readonly Migration[]): Promise<void> {
  const ours = previous.then(() => migrateAlone(writer, migrations));
  previous = ours.catch(() => {});
  return ours;
}

/** Takes no lock if there is nothing to do. */
async function migrateAlone(writer: DatabaseSync, migrations: readonly Migration[]): Promise<void> {
  if (missing('sqlite', migrations, appliedMigrations(writer) ?? []).length === 0) return;
  writer.exec('PRAGMA foreign_keys = OFF');
  try {
    await migrate(session(writer), migrations);
  } finally {
    writer.exec('PRAGMA foreign_keys = ON');
  }
}

/** For a connection that cannot migrate: the database must be what this code expects. */
export function requireMigrated(reader: DatabaseSync, migrations: readonly Migration[]): void {
  const due = missing('sqlite', migrations, appliedMigrations(reader) ?? []).map((migration) => migration.name);
  if (due.length > 0) throw new Error(`The database is from an older version. Missing migrations: ${due.join(', ')}.`);
}

function session(writer: DatabaseSync): MigrationSession {
  return {
    storeKind: 'sqlite',
    begin: async () => writer.exec('BEGIN IMMEDIATE'),
    run: async (sql) => writer.exec(sql),
    applied: async () => appliedMigrations(writer),
    rollback: async () => writer.exec('ROLLBACK'),
    async commit() {
      const broken = writer.prepare('PRAGMA foreign_key_check').get();
      if (broken) throw new Error(`A migration leaves rows of ${broken.table} that refer to nothing.`);
      writer.exec('COMMIT');
    },
  };
}

/** Undefined where there is no table of migrations. */
export function appliedMigrations(connection: DatabaseSync): AppliedMigration[] | undefined {
  const columns = connection.prepare("SELECT name FROM pragma_table_info('migrations')").all();
  if (columns.length === 0) return undefined;
  // The table of a pre-release may have fewer columns.
  return connection.prepare('SELECT * FROM migrations').all() as unknown as AppliedMigration[];
}

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
