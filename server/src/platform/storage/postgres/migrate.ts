import type { Client } from 'pg';
import { type Migration, migrate } from '../migrations.ts';

/** An arbitrary number that no other advisory lock in this database uses. */
const MIGRATION_LOCK = 7_223_119_482;

const COLUMNS = `SELECT attname AS name FROM pg_attribute
  WHERE attrelid = to_regclass('migrations') AND attnum > 0 AND NOT attisdropped`;

/** Brings the database up to date, on a connection without a statement timeout. */
export async function migratePostgres(client: Client, migrations: readonly Migration[]): Promise<void> {
  const run = async (sql: string) => {
    await client.query(sql);
  };
  await migrate(
    {
      storeKind: 'postgres',
      begin: () => run(`BEGIN; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`),
      commit: () => run('COMMIT'),
      rollback: () => run('ROLLBACK'),
      run,
      columns: async () => (await client.query(COLUMNS)).rows.map((row) => row.name),
      applied: async () => (await client.query('SELECT name, checksum FROM migrations')).rows,
    },
    migrations,
  );
}
