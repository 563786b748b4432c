import type { Client } from 'pg';
import { type Migration, migrate } from '../migrations.ts';
import { NODE_GONE_MS, sayWaiting } from '../older-nodes.ts';
import { refuseUnfinishedMove } from './unfinished-move.ts';

/** An arbitrary number that no other advisory lock in this database uses. */
const MIGRATION_LOCK = 7_223_119_482;

const COLUMNS = `SELECT attname AS name FROM pg_attribute
  WHERE attrelid = to_regclass('migrations') AND attnum > 0 AND NOT attisdropped`;

const APPLIED = 'SELECT name, checksum, "suitsOlderNodes" = 1 AS "suitsOlderNodes" FROM migrations';
/** Who knows a migration applies it before it is heard of: those that run do not know one that is missing. */
const OLDER_NODES = `SELECT name, version FROM nodes WHERE "goneAt" IS NULL
  AND "seenAt" > CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - ${NODE_GONE_MS} ORDER BY name`;

/**
 * Brings the database up to date, on a connection without a statement timeout.
 * @param isMoving whether that is a part of a move, which is not finished then
 */
export async function migratePostgres(
  client: Client,
  migrations: readonly Migration[],
  say: (sentence: string) => void,
  { isMoving = false } = {},
): Promise<void> {
  if (!isMoving) await refuseUnfinishedMove(client);
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
      applied: async () => (await client.query(APPLIED)).rows,
      hasRows: async (table) => (await client.query(`SELECT 1 FROM "${table}" LIMIT 1`)).rows.length > 0,
      async olderNodes() {
        const known = await client.query(`SELECT to_regclass('nodes') IS NOT NULL AS "isThere"`);
        return known.rows[0].isThere ? (await client.query(OLDER_NODES)).rows : [];
      },
      waiting: sayWaiting(say),
    },
    migrations,
  );
}
