import { setTimeout as pause } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type { Client, ClientConfig, Pool, PoolConfig } from 'pg';
import type { Log } from '../../log.ts';
import { StoreCondition } from '../condition.ts';
import { type Database, NotUnique } from '../database.ts';
import { citusDialect, POSTGRES, type SqlText, textFor } from '../dialect.ts';
import type { Migration } from '../migrations.ts';
import { placementsOf } from '../placement.ts';
import { numberPlaceholders, statementNames } from '../run-sql.ts';
import { createReadWorkPool, createSearchPool } from '../search/pool.ts';
import type { Cell, Row } from '../shape.ts';
import { postgresTrouble, StoreTrouble } from '../trouble.ts';
import type { ReadWorkDefinition, Statement, WorkDefinition } from '../work.ts';
import { Addresses } from './addresses.ts';
import { deviceGuard } from './citus/require-device.ts';
import { shardIn, shardsOfHash } from './citus/shards.ts';
import { migrateSpread, noteEmpty, spreadAtStart } from './citus/spread.ts';
import { countWorkers } from './citus/workers.ts';
import { DatabaseClock } from './database-clock.ts';
import { migratePostgres } from './migrate.ts';
import { NOTICE_CONNECTION, type Notices, startNotices } from './notices.ts';
import { referenceWrites, refuseCrowd, storePool } from './store-clients.ts';
import { cellTypes, postgresDialect } from './types.ts';

interface PostgresOptions {
  /** One address, or several of the same database, separated by commas. */
  readonly url: string;
  readonly migrations: readonly Migration[];
  readonly searchDeadlineMs?: number;
  /** The most connections for ordinary queries; `CONNECTIONS_APART` are for others. */
  readonly poolSize?: number;
  /** How long to wait for a connection, and for the answer to a statement. */
  readonly connectTimeoutMs?: number;
  readonly answerTimeoutMs?: number;
  /** Told in a sentence what the start waits for. */
  readonly say?: (sentence: string) => void;
  /**
   * Whether a connection keeps what was said on it before: prepared statements and settings. False behind a pooler in
   * transaction mode, where these are not used.
   */
  readonly preparesStatements?: boolean;
  /**
   * For a server, which receives notices of other commits: by the address of the database itself if a pooler is in
   * between.
   */
  readonly notices?: { readonly url?: string; readonly log: Log };
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Covers a server that is lost without closing the connection: it should have ended the statement itself before. */
const ANSWER_TIMEOUT_MS = 20_000;
const IDLE_IN_TRANSACTION_MS = 30_000;
const DEADLOCK_ATTEMPTS = 3;
/** Citus locks more than rows, so transactions wait for each other sooner. A random pause keeps them from meeting again. */
const SPREAD_DEADLOCK_ATTEMPTS = 20;
const DEADLOCK_PAUSE_MS = 200;
const IDLE_MS = 30_000;
const UNIQUE_VIOLATION = '23505';
/** The connections of searches and long reads, and the one for notices. */
export const CONNECTIONS_APART = 6;

/** The ICU collation of no language: its `lower()` follows Unicode. */
const FOLDING_COLLATION = 'und-x-icu';

export async function openPostgres<Tables>(options: PostgresOptions): Promise<Database<Tables>> {
  const { url, searchDeadlineMs = 2000, poolSize = 10 } = options;
  const { preparesStatements: isPreparing = true } = options;
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  // Loaded on demand, so that SQLite installations do not load the driver.
  const { default: pg } = await import('pg');
  const addresses = new Addresses(url);
  const connection: ClientConfig = {
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'trackway',
    keepAlive: true,
    types: cellTypes as ClientConfig['types'],
  };
  const preparing = await addresses.connect((address) => new pg.Client({ ...connection, connectionString: address }));
  const { foldingCollation, shards } = await prepareStore(preparing, options);
  const ofSession: PoolConfig = {
    statement_timeout: Math.round(answerTimeoutMs * 0.75),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(shards && { options: CITUS_OPTIONS }),
  };
  const pool = new pg.Pool({
    ...connection,
    ...addresses.poolConfig(pg.Client),
    ...(isPreparing && ofSession),
    max: poolSize,
    // For the last statements of a transaction: all others wait for the answer to the one before.
    pipeline: true,
    idleTimeoutMillis: IDLE_MS,
    query_timeout: answerTimeoutMs,
  });
  // A connection may break while idle in the pool or within a transaction. The next query on it fails or gets another
  // connection; an error event without a listener would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const clock = new DatabaseClock(async () => Number((await pool.query(CLOCK)).rows[0].now));
  try {
    await clock.start();
  } catch (error) {
    await pool.end();
    throw error;
  }
  const direct = new Addresses(options.notices?.url || url);
  const notices =
    options.notices &&
    startNotices({
      log: options.notices.log,
      connect: () =>
        direct.connect((address) => new pg.Client({ ...connection, ...NOTICE_CONNECTION, connectionString: address })),
    });
  return seam<Tables>(pool, {
    url,
    searchDeadlineMs,
    foldingCollation,
    isPreparing,
    notices,
    clock,
    migrations: options.migrations,
    shards,
  });
}

interface SeamParts {
  readonly url: string;
  readonly searchDeadlineMs: number;
  readonly foldingCollation: string | undefined;
  readonly isPreparing: boolean;
  readonly notices: Notices | undefined;
  readonly clock: DatabaseClock;
  readonly migrations: readonly Migration[];
  readonly shards: readonly number[] | undefined;
}

const CLOCK = 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS "now"';

/** Statements of a transaction go over one connection to each worker: more of them cost more than they gain. */
const CITUS_OPTIONS = '-c citus.max_adaptive_executor_pool_size=1';

interface PreparedStore {
  readonly foldingCollation: string | undefined;
  /** By part of the hash, where rows are distributed. */
  readonly shards: readonly number[] | undefined;
}

async function prepareStore(client: Client, { migrations, say = () => {} }: PostgresOptions): Promise<PreparedStore> {
  try {
    const placements = placementsOf(migrations);
    const workers = placements === undefined ? 0 : await countWorkers(client);
    if (workers > 0) await noteEmpty(client);
    await migrateSpread(client, workers, () => migratePostgres(client, migrations, say));
    if (placements && workers > 0) await spreadAtStart(client, placements, say);
    const shards = workers > 0 ? await shardsOfHash(client) : undefined;
    return { foldingCollation: await findFoldingCollation(client), shards };
  } finally {
    await client.end().catch(() => {});
  }
}

async function findFoldingCollation(client: Client): Promise<string | undefined> {
  const found = await client.query('SELECT 1 FROM pg_collation WHERE collname = $1', [FOLDING_COLLATION]);
  return found.rows.length > 0 ? FOLDING_COLLATION : undefined;
}

function seam<Tables>(pool: Pool, parts: SeamParts): Database<Tables> {
  const { url, searchDeadlineMs, foldingCollation, isPreparing, notices, clock, migrations, shards } = parts;
  const condition = new StoreCondition();
  /** The error in the form for code above the store: a value that is not unique, trouble of the store, or itself. */
  const toStoreError = (error: unknown) => {
    const kind = error instanceof StoreTrouble ? undefined : postgresTrouble(error);
    if (kind === undefined) return notUnique(error) ?? error;
    const trouble = new StoreTrouble(kind, error);
    condition.note(trouble);
    return trouble;
  };
  const guard = deviceGuard(migrations);
  const dialect = shards ? citusDialect(shardIn(shards)) : POSTGRES;
  const deadlockAttempts = dialect.isDistributed ? SPREAD_DEADLOCK_ATTEMPTS : DEADLOCK_ATTEMPTS;
  const clients = storePool(pool, {
    toStoreError,
    isPreparing,
    guard,
    shardOf: dialect.shardOf,
    needsTurn: dialect.isDistributed ? referenceWrites(placementsOf(migrations)!) : undefined,
    committedRows: () => notices?.announce(),
  });
  const query = new Kysely<Tables>({ dialect: postgresDialect(clients, dialect) });
  const searches = createSearchPool({ storeKind: 'postgres', url, isPreparing, shards }, searchDeadlineMs);
  const readers = createReadWorkPool({ storeKind: 'postgres', url, isPreparing, shards });
  const claimName = statementNames();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    clock.stop();
    await notices?.stop();
    await searches.close();
    await readers.close();
    await pool.end();
  }

  const database: Database<Tables> = {
    dialect,
    condition,
    foldingCollation,
    query,
    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const done = await query.transaction().setIsolationLevel('read committed').execute(work);
          condition.committedAt = performance.now();
          return done;
        } catch (error) {
          if (attempt >= deadlockAttempts || !isDeadlock(error)) throw error;
          // The other transaction goes on first.
          await pause(Math.random() * DEADLOCK_PAUSE_MS);
        }
      }
    },
    work<Options, Input, Output>({ open }: WorkDefinition<Tables, Options, Input, Output>, options: Options) {
      const work = open(database, options);
      return async (input: Input): Promise<Output> =>
        work.committed(await database.transaction((tx) => work.run(tx, input)));
    },
    prepare<R = Row>(name: string, given: SqlText): Statement<R> {
      const sql = textFor(dialect, given);
      claimName(name, sql);
      const text = numberPlaceholders(sql);
      const run = async <Of>(values: Cell[], more?: { readonly rowMode: 'array' }): Promise<Of[]> => {
        try {
          refuseCrowd(pool);
          guard?.(text);
          const asked = { name: isPreparing ? name : undefined, text, values, ...more };
          return (await pool.query(asked)).rows as Of[];
        } catch (error) {
          throw toStoreError(error);
        }
      };
      return {
        get: async (...cells) => (await run<R>(cells))[0],
        all: (...cells) => run<R>(cells),
        lists: (...cells) => run<Cell[]>(cells, { rowMode: 'array' }),
      };
    },
    search: ({ owner, ...ask }) => searches.ask(owner, ask) as Promise<string>,
    readWork:
      <Input, Output>({ module }: ReadWorkDefinition<Tables, Input, Output>) =>
      (input: Input, owner: string) =>
        readers.ask(owner, { module, input }) as Promise<Output>,
    queues: () => ({ writer: pool.waitingCount, search: searches.waiting() }),
    changes: () => undefined,
    onNews: (listener) => notices?.onNotice(listener),
    wantNews: () => notices?.want(),
    now: clock.now,
    async ping() {
      await pool.query('SELECT 1');
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
  return database;
}

/** PostgreSQL gives up one of two transactions that wait for each other; nothing of it was kept, so it begins again. */
const isDeadlock = (error: unknown) =>
  error instanceof StoreTrouble && (error.cause as { code?: string } | undefined)?.code === '40P01';

/** The detail is `Key (imei, "deviceId")=(…) already exists.` in the server's language, or contains an expression. */
function notUnique(error: unknown): NotUnique | undefined {
  const { code, detail } = error as { code?: string; detail?: string };
  if (code !== UNIQUE_VIOLATION) return undefined;
  const key = detail?.match(/\((.*?)\)=\(/)?.[1] ?? '';
  const columns = key.split(', ').map((name) => name.replaceAll('"', ''));
  return new NotUnique(columns.every((name) => /^\w+$/.test(name)) ? columns : [], error);
}
