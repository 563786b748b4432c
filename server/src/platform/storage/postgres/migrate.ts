import type { Client } from 'pg';
import {
  type AppliedMigration,
  type Migration,
  migrate,
  missing,
  NODE_GONE_MS,
  type OlderNode,
  sayWaiting,
} from '../migrations.ts';

/** An arbitrary number that no other advisory lock in this database uses. */
export const MIGRATION_LOCK = 7_223_119_482;

/** A node applies a migration before it registers, so a running node without a migration does not know it. */
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
  await requireVersion(client);
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
      applied: () => appliedMigrations(client),
      olderNodes: () => runningNodes(client),
      waiting: sayWaiting(say),
    },
    migrations,
  );
}

/** The schema uses `ON DELETE SET NULL` for single columns, which older versions do not know. */
const OLDEST_VERSION = 15;

async function requireVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const version = rows[0]!.server_version;
  if (Number.parseInt(version, 10) < OLDEST_VERSION)
    throw new Error(`PostgreSQL ${OLDEST_VERSION} or later is required; this server is ${version}.`);
}

/** The nodes that have the database open now. */
export async function runningNodes(client: Client): Promise<OlderNode[]> {
  return (await hasTable(client, 'nodes')) ? (await client.query(OLDER_NODES)).rows : [];
}

/** Undefined where there is no table of migrations. */
async function appliedMigrations(client: Client): Promise<AppliedMigration[] | undefined> {
  if (!(await hasTable(client, 'migrations'))) return undefined;
  // The table of a pre-release may have fewer columns.
  const { rows } = await client.query('SELECT * FROM migrations');
  return rows.map(({ suitsOlderNodes, ...row }) => ({ ...row, suitsOlderNodes: Number(suitsOlderNodes) === 1 }));
}

const hasTable = async (client: Client, name: string): Promise<boolean> =>
  (await client.query('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [name])).rows[0].isThere;

/** For commands, which migrate nothing. */
export async function requireMigrated(client: Client, migrations: readonly Migration[]): Promise<void> {
  if (missing('postgres', migrations, (await appliedMigrations(client)) ?? []).length > 0)
    throw new Error('The tables are not of this version yet. Start a node of this version once, and stop it again.');
}

const PIECE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|;|[^;'"$/\-eE]+|[\s\S]/g;

/**
 * The statements of a text, each to be sent alone. Citus hands the text of a change of tables on to its workers as it
 * came, and these take one statement at a time.
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let current = '';
  let isSaying = false;
  const end = () => {
    if (isSaying) statements.push(current.trim());
    current = '';
    isSaying = false;
  };
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece === ';') {
      end();
      continue;
    }
    current += piece;
    isSaying ||= !piece.startsWith('--') && !piece.startsWith('/*') && piece.trim() !== '';
  }
  end();
  return statements;
}

/** The table of a move that is not finished: no server may use the database while it is there. */
export const UNFINISHED_MOVE = 'unfinishedMove';

async function refuseUnfinishedMove(client: Client): Promise<void> {
  const { rows } = await client.query(`SELECT to_regclass('"${UNFINISHED_MOVE}"') IS NOT NULL AS "isThere"`);
  if (rows[0].isThere)
    throw new Error('The database contains an unfinished move. Run "trackway move" again to continue it.');
}
