import type { Client } from 'pg';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import { placementsOf } from '../platform/storage/placement.ts';
import { placeTables, type SpreadOptions } from '../platform/storage/postgres/citus/place-tables.ts';
import { underLock } from '../platform/storage/postgres/citus/spread.ts';
import {
  addWorker,
  citusWorkers,
  cleanWorker,
  countWorkers,
  emptyWorker,
  type RebalanceProgress,
  rebalanceProgress,
  removeWorker,
  startRebalance,
  type WorkerAddress,
} from '../platform/storage/postgres/citus/workers.ts';
import { requireMigrated, runningNodes } from '../platform/storage/postgres/migrate.ts';
import { asked, NoCluster } from './cluster.ts';

/** What operators do with the servers over which Citus spreads a database. */

const LONG = { mayTakeLong: true };

/** Brings every table to its place. No node may run meanwhile; one that was interrupted goes on. */
export const spreadTables = (url: string, options: SpreadOptions): Promise<void> =>
  asked(
    url,
    async (client) => {
      await requireWorkers(client);
      await requireMigrated(client, MIGRATIONS);
      await underLock(client, async () => {
        const nodes = await runningNodes(client);
        if (nodes.length > 0)
          throw new NoCluster(
            `Nodes run: ${nodes.map(({ name }) => name).join(', ')}. Stop all of them first; start them again once the tables are distributed.`,
          );
        await placeTables(client, placementsOf(MIGRATIONS) ?? {}, options);
      });
    },
    LONG,
  );

async function requireWorkers(client: Client): Promise<void> {
  if ((await countWorkers(client)) === 0)
    throw new NoCluster('The database has no workers yet: see "trackway cluster add-worker --help".');
}

/** Makes a server a worker, with a database of the same name; user and password are the same as for the coordinator. */
export const addClusterWorker = (url: string, worker: WorkerAddress, coordinator: WorkerAddress): Promise<void> =>
  asked(
    url,
    async (client) => {
      await client.query('CREATE EXTENSION IF NOT EXISTS citus');
      await prepareWorker(url, worker);
      await addWorker(client, worker, coordinator);
    },
    LONG,
  );

const NO_DATABASE = '3D000';
/** Every server has it, to be asked for others. */
const ANY_DATABASE = 'postgres';

async function prepareWorker(url: string, { host, port }: WorkerAddress): Promise<void> {
  const address = new URL(url);
  address.hostname = host;
  address.port = String(port);
  const name = decodeURIComponent(address.pathname.slice(1));
  const { default: pg } = await import('pg');
  const at = async (database: string, sql: string) => {
    const there = new URL(address);
    there.pathname = `/${encodeURIComponent(database)}`;
    const client = new pg.Client({ connectionString: there.href, application_name: 'trackway cluster' });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const extend = () => at(name, 'CREATE EXTENSION IF NOT EXISTS citus');
  try {
    await extend();
  } catch (error) {
    if ((error as { code?: string }).code !== NO_DATABASE) throw error;
    await at(ANY_DATABASE, `CREATE DATABASE "${name.replaceAll('"', '""')}"`);
    await extend();
  }
}

/** Told how far it is again and again, until it is done. */
interface Following {
  report(progress: RebalanceProgress): void;
  pause(): Promise<void>;
}

async function follow(client: Client, { report, pause }: Following): Promise<void> {
  for (;;) {
    const progress = await rebalanceProgress(client);
    if (progress === undefined) return;
    report(progress);
    await pause();
  }
}

/**
 * Shares the rows evenly among workers while nodes go on. The database continues even if the progress is not followed.
 */
export const rebalanceCluster = (url: string, following: Following): Promise<void> =>
  asked(
    url,
    async (client) => {
      await requireWorkers(client);
      await startRebalance(client);
      await follow(client, following);
    },
    LONG,
  );

/** Moves all rows away from a worker while nodes go on, and removes it. */
export const drainWorker = (url: string, { host, port }: WorkerAddress, following: Following): Promise<void> =>
  asked(
    url,
    async (client) => {
      await requireWorkers(client);
      const workers = await citusWorkers(client);
      const worker = workers.find((one) => one.host === host && one.port === port);
      if (worker === undefined)
        throw new NoCluster(
          `There is no worker ${host}:${port}. These are: ${workers.map((one) => `${one.host}:${one.port}`).join(', ')}.`,
        );
      if (workers.every((one) => one === worker || one.state !== 'up'))
        throw new NoCluster('It is the only worker that can store rows. Add another one first.');
      // One that is under way does not know of it.
      await follow(client, following);
      await emptyWorker(client, worker);
      await startRebalance(client, { emptiesOnly: true });
      await follow(client, following);
      while (!(await cleanWorker(client, worker))) await following.pause();
      await removeWorker(client, worker);
    },
    LONG,
  );
