import type { DatabaseSync } from 'node:sqlite';
import { type AppliedMigration, type Migration, type MigrationSession, migrate, missing } from '../migrations.ts';

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
