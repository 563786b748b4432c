import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import { SIZES } from '../domain/service/growth.ts';
import type { StoreKind } from '../platform/storage/dialect.ts';
import { type AppliedMigration, missing } from '../platform/storage/migrations.ts';
import { Addresses } from '../platform/storage/postgres/addresses.ts';
import { databaseFile } from '../platform/storage/sqlite/care/log-file.ts';
import type { Settings } from './settings.ts';

export interface StoreState {
  readonly exists: boolean;
  /** Migrations that the next start will apply. */
  readonly due: readonly string[];
  readonly users: number;
  readonly admins: number;
  /** How large the database was on the last days, as noted by a server. */
  readonly sizes?: string;
}

type Ask = (sql: string) => Promise<Record<string, unknown>[]>;

/**
 * Reads the store that the settings name without changing it: it creates no folder and no table, and applies no
 * migration.
 */
export async function inspectStore(settings: Settings): Promise<StoreState> {
  return settings.databaseUrl ? inspectPostgres(settings.databaseUrl) : inspectSqlite(resolve(settings.data));
}

async function inspectSqlite(folder: string): Promise<StoreState> {
  const file = databaseFile(folder);
  if (!existsSync(file)) return look('sqlite', async () => [], false);
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").all();
    return await look('sqlite', async (sql) => connection.prepare(sql).all(), tables.length > 0);
  } finally {
    connection.close();
  }
}

async function inspectPostgres(url: string): Promise<StoreState> {
  const { default: pg } = await import('pg');
  const client = await new Addresses(url).connect(
    (address) => new pg.Client({ connectionString: address, connectionTimeoutMillis: 10_000, query_timeout: 10_000 }),
  );
  try {
    const tables = await client.query("SELECT to_regclass('migrations') AS name");
    return await look('postgres', async (sql) => (await client.query(sql)).rows, tables.rows[0].name !== null);
  } finally {
    await client.end().catch(() => {});
  }
}

async function look(storeKind: StoreKind, ask: Ask, exists: boolean): Promise<StoreState> {
  if (!exists) return { exists, due: MIGRATIONS.map((migration) => migration.name), users: 0, admins: 0 };
  const applied = (await ask('SELECT * FROM migrations')) as unknown as AppliedMigration[];
  const due = missing(storeKind, MIGRATIONS, applied).map((migration) => migration.name);
  const [row] = applied.length > 0 ? await ask('SELECT COUNT(*) AS users, SUM(admin) AS admins FROM users') : [];
  const [sizes] = applied.length > 0 ? await ask(`SELECT value FROM settings WHERE name = '${SIZES}'`) : [];
  return {
    exists,
    due,
    ...(sizes && { sizes: String(sizes.value) }),
    users: Number(row?.users ?? 0),
    admins: Number(row?.admins ?? 0),
  };
}
