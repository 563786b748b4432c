import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe } from 'node:test';
import pg from 'pg';
import type { Database } from '../platform/storage/database.ts';
import type { StoreKind } from '../platform/storage/dialect.ts';
import { checksumOf, type Migration } from '../platform/storage/migrations.ts';
import { placementsOf } from '../platform/storage/placement.ts';
import { openPostgres } from '../platform/storage/postgres/postgres.ts';
import { openSqlite } from '../platform/storage/sqlite/sqlite.ts';
import { keepWriterThreads } from '../platform/storage/sqlite/writer.ts';
import { startPostgres } from './postgres-server.ts';
import { citusUrl, dropCitusDatabase, makeCitusDatabase, renameCitusDatabase } from './storage/citus-places.ts';

/** The place of one database: a folder for SQLite, an address for PostgreSQL. */
export type TestDatabasePlace = string;

export interface OpenOptions {
  readonly searchDeadlineMs?: number;
  readonly migrations?: readonly Migration[];
}

/**
 * Opens a new, migrated database. A database opened within a test is closed and removed after it; one opened in a
 * `before` hook lives until the end of the block.
 */
export interface Open<Tables> {
  (options?: OpenOptions): Promise<Database<Tables>>;
  readonly storeKind: StoreKind;
  /** An empty place for a database, for tests that open one more than once. */
  emptyPlace(): Promise<TestDatabasePlace>;
  /** A place with an empty database that has all of some migrations: a copy of one that was migrated once. */
  migratedPlace(migrations: readonly Migration[]): Promise<TestDatabasePlace>;
  /** A copy of another database, which must not be open meanwhile. */
  copyOf(place: TestDatabasePlace): Promise<TestDatabasePlace>;
  at(place: TestDatabasePlace, options?: OpenOptions): Promise<Database<Tables>>;
}

/**
 * Whether this run has a part of the tests: `npm test` has the fast one, `npm run test:slow` the slow one, and
 * `npm test -- FILE` both. The slow run finds a file by its calls of this
 * function or of `onEitherEngine`.
 */
export const runsPart = (part: 'fast' | 'slow'): boolean =>
  process.env.TRACKWAY_TEST_PART === undefined || process.env.TRACKWAY_TEST_PART === part;

/** Declares tests that depend on no engine, or on this one. */
export function onSqlite<Tables>(
  name: string,
  { migrations }: { migrations: readonly Migration[] },
  declareTests: (open: Open<Tables>) => void,
): void {
  if (citusUrl() !== undefined) return;
  describe(`${name} on SQLite`, () => {
    declareTests(opener('sqlite', sqlitePlaces, migrations));
  });
}

/** Declares the same tests for each engine. */
export function onBothEngines<Tables>(
  name: string,
  { migrations }: { migrations: readonly Migration[] },
  declareTests: (open: Open<Tables>) => void,
): void {
  onSqlite(name, { migrations }, declareTests);
  onPostgres(name, { migrations }, declareTests);
}

/**
 * Declares tests whose SQL is the same on both engines: `npm test` runs them on SQLite, `npm run test:slow` on PostgreSQL,
 * and `npm test -- FILE` on both.
 */
export function onEitherEngine<Tables>(
  name: string,
  { migrations }: { migrations: readonly Migration[] },
  declareTests: (open: Open<Tables>) => void,
): void {
  if (runsPart('fast')) onSqlite(name, { migrations }, declareTests);
  if (runsPart('slow')) onPostgres(name, { migrations }, declareTests);
}

/** Declares tests of what only several processes on one database can do. */
export function onPostgres<Tables>(
  name: string,
  { migrations }: { migrations: readonly Migration[] },
  declareTests: (open: Open<Tables>) => void,
): void {
  if (process.env.TRACKWAY_SKIP_POSTGRES === '1') {
    describe(`${name} on PostgreSQL`, { skip: 'TRACKWAY_SKIP_POSTGRES=1' }, () => {});
    console.error(`\n*** NOT TESTED ON POSTGRESQL, since TRACKWAY_SKIP_POSTGRES=1: ${name} ***\n`);
    return;
  }
  describe(`${name} on ${citusUrl() === undefined ? 'PostgreSQL' : 'Citus'}`, () => {
    before(async () => {
      await postgresAddress();
    });
    declareTests(opener('postgres', citusUrl() === undefined ? postgresPlaces : citusPlaces, migrations));
  });
}

/** Declares tests of what only a database does that is spread over several servers; see `npm run test:citus`. */
export function onCitus<Tables>(
  name: string,
  { migrations }: { migrations: readonly Migration[] },
  declareTests: (open: Open<Tables>) => void,
): void {
  if (citusUrl() === undefined) describe(`${name} on Citus`, { skip: 'no TRACKWAY_TEST_CITUS_URL' }, () => {});
  else onPostgres(name, { migrations }, declareTests);
}

interface Places {
  make(): Promise<TestDatabasePlace>;
  copy(place: TestDatabasePlace): Promise<TestDatabasePlace>;
  /** The place of a database that has all of some migrations, to copy. */
  model(name: string, migrations: readonly Migration[]): Promise<TestDatabasePlace>;
  remove(place: TestDatabasePlace): Promise<void>;
}

function opener<Tables>(storeKind: StoreKind, places: Places, migrations: readonly Migration[]): Open<Tables> {
  const leftovers = { ofTest: [] as (() => Promise<void>)[], ofBlock: [] as (() => Promise<void>)[] };
  let current = leftovers.ofBlock;
  beforeEach(() => {
    current = leftovers.ofTest;
  });
  afterEach(async () => {
    current = leftovers.ofBlock;
    await undo(leftovers.ofTest);
  });
  after(() => undo(leftovers.ofBlock));

  async function kept(making: Promise<TestDatabasePlace>): Promise<TestDatabasePlace> {
    const place = await making;
    current.push(() => places.remove(place));
    return place;
  }
  const emptyPlace = () => kept(places.make());
  const copyOf = (place: TestDatabasePlace) => kept(places.copy(place));
  const migratedPlace = async (all: readonly Migration[]) =>
    // It is quicker to copy a database with the whole schema than to make one.
    placementsOf(all) === undefined ? emptyPlace() : copyOf(await modelOf(places, storeKind, all));

  async function at(place: TestDatabasePlace, options: OpenOptions = {}): Promise<Database<Tables>> {
    const all = { migrations, ...options };
    const db =
      storeKind === 'sqlite'
        ? await openSqlite<Tables>({ folder: place, ...all })
        : await openPostgres<Tables>({ url: place, ...all });
    current.push(() => db.close());
    return db;
  }

  return Object.assign(
    async (options: OpenOptions = {}) => at(await migratedPlace(options.migrations ?? migrations), options),
    { storeKind, emptyPlace, migratedPlace, copyOf, at },
  );
}

/** In reverse order: databases are closed before their places are removed. */
async function undo(steps: (() => Promise<void>)[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step();
}

/** More than are open at a time. */
keepWriterThreads(4);

const folders = new Set<string>();

/** What each engine has for a list of migrations, by a name of their texts. */
const models = new Map<string, Promise<TestDatabasePlace>>();

function modelOf(places: Places, storeKind: StoreKind, migrations: readonly Migration[]): Promise<TestDatabasePlace> {
  const texts = migrations.map((migration) => `${migration.name} ${checksumOf(storeKind, migration)}`).join('\n');
  const placed = citusUrl() === undefined ? '' : JSON.stringify(placementsOf(migrations) ?? {});
  const name = createHash('sha256').update(`${storeKind}\n${texts}\n${placed}`).digest('hex').slice(0, 16);
  const found = models.get(name) ?? places.model(name, migrations);
  models.set(name, found);
  return found;
}

const sqlitePlaces: Places = {
  async make() {
    const folder = await mkdtemp(join(tmpdir(), 'test-sqlite-'));
    folders.add(folder);
    return folder;
  },
  async copy(place) {
    const folder = await this.make();
    await cp(place, folder, { recursive: true });
    return folder;
  },
  async model(_name, migrations) {
    const folder = await this.make();
    const db = await openSqlite({ folder, migrations });
    await db.close();
    return folder;
  },
  async remove(folder) {
    await rm(folder, { recursive: true, force: true });
    folders.delete(folder);
  },
};

// A run that ends early, by a signal or an error, still removes its folders.
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

async function postgresAt(name: string): Promise<TestDatabasePlace> {
  const url = new URL(await postgresAddress());
  url.pathname = `/${name}`;
  return url.href;
}

const nameAt = (place: TestDatabasePlace) => new URL(place).pathname.slice(1);

/** Keeps the processes of a run, which share the models, from making one twice. */
const MODEL_LOCK = 7_316_202;

async function makePostgres(origin = ''): Promise<TestDatabasePlace> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(`CREATE DATABASE ${name} ${origin}`);
  return postgresAt(name);
}

const postgresPlaces: Places = {
  make: () => makePostgres(),
  copy: (place) => makePostgres(`TEMPLATE ${nameAt(place)} STRATEGY FILE_COPY`),
  async model(hash, migrations) {
    const name = `test_model_${hash}`;
    await administered(async (client) => {
      await client.query(`SELECT pg_advisory_lock(${MODEL_LOCK})`);
      const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (found.rows.length > 0) return;
      // It gets its name when it is whole: a process may be killed meanwhile.
      await client.query(`DROP DATABASE IF EXISTS ${name}_new`);
      await client.query(`CREATE DATABASE ${name}_new`);
      const db = await openPostgres({ url: await postgresAt(`${name}_new`), migrations });
      await db.close();
      await client.query(`ALTER DATABASE ${name}_new RENAME TO ${name}`);
    });
    return postgresAt(name);
  },
  async remove(place) {
    await administer(`DROP DATABASE IF EXISTS ${nameAt(place)} WITH (FORCE)`);
  },
};

const citusPlaces: Places = {
  make: () => makeCitusDatabase(),
  copy: (place) => makeCitusDatabase(undefined, nameAt(place)),
  async model(hash, migrations) {
    const name = `test_model_${hash}`;
    await administered(async (client) => {
      await client.query(`SELECT pg_advisory_lock(${MODEL_LOCK})`);
      const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (found.rows.length > 0) return;
      await dropCitusDatabase(`${name}_new`);
      const place = await makeCitusDatabase(`${name}_new`);
      const db = await openPostgres({ url: place, migrations });
      await db.close();
      await renameCitusDatabase(`${name}_new`, name);
    });
    return postgresAt(name);
  },
  remove: (place) => dropCitusDatabase(nameAt(place)),
};

const administer = (sql: string) => administered((client) => client.query(sql));

async function administered(what: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: await postgresAddress() });
  await client.connect();
  try {
    await what(client);
  } finally {
    await client.end();
  }
}

/** The server of the whole test run, or one of this process if there is none. */
let address: Promise<string> | undefined;

function postgresAddress(): Promise<string> {
  const given = citusUrl() ?? process.env.TRACKWAY_TEST_DATABASE_URL;
  address ??= given ? Promise.resolve(given) : startOwnServer();
  return address;
}

let ownServer: { stop(): Promise<void> } | undefined;
after(() => ownServer?.stop());

async function startOwnServer(): Promise<string> {
  try {
    const server = await startPostgres();
    ownServer = server;
    return server.url;
  } catch (error) {
    console.error(`
*** THERE IS NO POSTGRESQL TO TEST ON ***
Set TRACKWAY_TEST_DATABASE_URL to a server, or TRACKWAY_SKIP_POSTGRES=1 to test on SQLite only.
`);
    throw error;
  }
}
