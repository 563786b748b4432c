import type { Client } from 'pg';
import { type Migration, migrate, missing } from '../migrations.ts';
import { NODE_GONE_MS, type OlderNode, sayWaiting } from '../older-nodes.ts';
import { splitStatements } from './split-statements.ts';
import { refuseUnfinishedMove } from './unfinished-move.ts';

/** An arbitrary number that no other advisory lock in this database uses. */
export const MIGRATION_LOCK = 7_223_119_482;

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
    for (const statement of splitStatements(sql)) await client.query(statement);
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
      olderNodes: () => runningNodes(client),
      waiting: sayWaiting(say),
    },
    migrations,
  );
}

/** The nodes that have the database open now. */
export async function runningNodes(client: Client): Promise<OlderNode[]> {
  const known = await client.query(`SELECT to_regclass('nodes') IS NOT NULL AS "isThere"`);
  return known.rows[0].isThere ? (await client.query(OLDER_NODES)).rows : [];
}

/** At a worker nothing is migrated: what the coordinator has applied is only looked at. */
export async function requireMigrated(client: Client, migrations: readonly Migration[]): Promise<void> {
  const isThere = (await client.query(COLUMNS)).rows.length > 0;
  const due = isThere ? missing('postgres', migrations, (await client.query(APPLIED)).rows) : migrations;
  if (due.length > 0)
    throw new Error(
      'This server of PostgreSQL is a worker, and its tables are not of this version yet. Start a node at the coordinator first, and then this one.',
    );
}
