import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe } from 'node:test';
import pg from 'pg';
import type { Database } from '../platform/storage/database.ts';
import type { Migration } from '../platform/storage/migrations.ts';
import { openPostgres } from '../platform/storage/postgres/postgres.ts';
import { openSqlite } from '../platform/storage/sqlite/sqlite.ts';
import type { StoreKind } from '../platform/storage/store-kind.ts';
import { startPostgres } from './postgres-server.ts';

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
  at(place: TestDatabasePlace, options?: OpenOptions): Promise<Database<Tables>>;
}

/** Declares the same tests for each engine. */
export function onBothEngines<Tables>(
  name: string,
  { migrations }: { migrations: readonly Migration[] },
  declareTests: (open: Open<Tables>) => void,
): void {
  describe(`${name} on SQLite`, () => {
    declareTests(opener('sqlite', sqlitePlaces, migrations));
  });
  if (process.env.TRACKWAY_SKIP_POSTGRES === '1') {
    describe(`${name} on PostgreSQL`, { skip: 'TRACKWAY_SKIP_POSTGRES=1' }, () => {});
    console.error(`\n*** NOT TESTED ON POSTGRESQL, since TRACKWAY_SKIP_POSTGRES=1: ${name} ***\n`);
    return;
  }
  describe(`${name} on PostgreSQL`, () => {
    before(async () => {
      await postgresAddress();
    });
    declareTests(opener('postgres', postgresPlaces, migrations));
  });
}

interface Places {
  make(): Promise<TestDatabasePlace>;
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

  async function emptyPlace(): Promise<TestDatabasePlace> {
    const place = await places.make();
    current.push(() => places.remove(place));
    return place;
  }

  async function at(place: TestDatabasePlace, options: OpenOptions = {}): Promise<Database<Tables>> {
    const all = { migrations, ...options };
    const db =
      storeKind === 'sqlite'
        ? await openSqlite<Tables>({ folder: place, ...all })
        : await openPostgres<Tables>({ url: place, ...all });
    current.push(() => db.close());
    return db;
  }

  return Object.assign(async (options?: OpenOptions) => at(await emptyPlace(), options), { storeKind, emptyPlace, at });
}

/** In reverse order: databases are closed before their places are removed. */
async function undo(steps: (() => Promise<void>)[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step();
}

const folders = new Set<string>();

const sqlitePlaces: Places = {
  async make() {
    const folder = await mkdtemp(join(tmpdir(), 'test-sqlite-'));
    folders.add(folder);
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

const postgresPlaces: Places = {
  async make() {
    const name = `test_${randomBytes(8).toString('hex')}`;
    await administer(`CREATE DATABASE ${name}`);
    const url = new URL(await postgresAddress());
    url.pathname = `/${name}`;
    return url.href;
  },
  async remove(place) {
    await administer(`DROP DATABASE IF EXISTS ${new URL(place).pathname.slice(1)} WITH (FORCE)`);
  },
};

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: await postgresAddress() });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The server of the whole test run, or one of this process if there is none. */
let address: Promise<string> | undefined;

function postgresAddress(): Promise<string> {
  address ??= process.env.TRACKWAY_TEST_DATABASE_URL
    ? Promise.resolve(process.env.TRACKWAY_TEST_DATABASE_URL)
    : startOwnServer();
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
