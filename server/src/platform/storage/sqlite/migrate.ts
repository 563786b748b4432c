import type { DatabaseSync } from 'node:sqlite';
import { type Migration, type MigrationSession, migrate, missing } from '../migrations.ts';

/**
 * Within one process migrations go one after the other: waiting for the lock blocks the thread, and with it the one that
 * holds the lock.
 */
let previous: Promise<void> = Promise.resolve();

/** Brings the database up to date. */
export function migrateSqlite(writer: DatabaseSync, migrations: readonly Migration[]): Promise<void> {
  const ours = previous.then(() => migrateAlone(writer, migrations));
  previous = ours.catch(() => {});
  return ours;
}

/** Takes no lock when there is nothing to do. */
async function migrateAlone(writer: DatabaseSync, migrations: readonly Migration[]): Promise<void> {
  if (missing(migrations, appliedNames(writer)).length === 0) return;
  writer.exec('PRAGMA foreign_keys = OFF');
  try {
    await migrate(session(writer), migrations);
  } finally {
    writer.exec('PRAGMA foreign_keys = ON');
  }
}

/** For a connection that can't migrate: the database must be what this code expects. */
export function requireMigrated(reader: DatabaseSync, migrations: readonly Migration[]): void {
  const due = missing(migrations, appliedNames(reader)).map((migration) => migration.name);
  if (due.length > 0) throw new Error(`The database is from an older version. Missing migrations: ${due.join(', ')}.`);
}

function session(writer: DatabaseSync): MigrationSession {
  return {
    storeKind: 'sqlite',
    begin: async () => writer.exec('BEGIN IMMEDIATE'),
    run: async (sql) => writer.exec(sql),
    appliedNames: async () => appliedNames(writer),
    rollback: async () => writer.exec('ROLLBACK'),
    async commit() {
      const broken = writer.prepare('PRAGMA foreign_key_check').get();
      if (broken) throw new Error(`A migration leaves rows of ${broken.table} that refer to nothing.`);
      writer.exec('COMMIT');
    },
  };
}

function appliedNames(connection: DatabaseSync): string[] {
  const exists = connection.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'").get();
  if (!exists) return [];
  return connection
    .prepare('SELECT name FROM migrations')
    .all()
    .map((row) => row.name as string);
}
