import type { Client } from 'pg';

/** A server of PostgreSQL that holds rows, as the coordinator reaches it. */
export interface WorkerAddress {
  readonly host: string;
  readonly port: number;
}

export interface CitusWorker extends WorkerAddress {
  readonly state: 'up' | 'off' | 'emptied';
  /** How many parts of tables it has, and their bytes. */
  readonly shards: number;
  readonly bytes: number;
}

const WORKERS = `SELECT "nodename" AS "host", "nodeport" AS "port", "isactive" AS "isActive",
    "shouldhaveshards" AS "takesRows", COALESCE("held"."shards", 0) AS "shards", COALESCE("held"."bytes", 0) AS "bytes"
  FROM pg_dist_node LEFT JOIN (
    SELECT "nodename", "nodeport", COUNT(*) AS "shards", SUM("shard_size") AS "bytes" FROM citus_shards
    WHERE "citus_table_type" = 'distributed' GROUP BY 1, 2
  ) AS "held" USING ("nodename", "nodeport")
  WHERE "groupid" <> 0 AND "noderole" = 'primary' ORDER BY "groupid"`;

export async function citusWorkers(client: Client): Promise<CitusWorker[]> {
  const { rows } = await client.query(WORKERS);
  return rows.map(({ host, port, isActive, takesRows, shards, bytes }) => ({
    host,
    port: Number(port),
    state: !isActive ? 'off' : takesRows ? 'up' : 'emptied',
    shards: Number(shards),
    bytes: Number(bytes),
  }));
}

/**
 * Makes a server a worker of this database. It has the extension and a database of the same name already.
 * @param coordinator how workers reach the coordinator; asked for once
 */
export async function addWorker(client: Client, worker: WorkerAddress, coordinator: WorkerAddress): Promise<void> {
  const known = await client.query('SELECT 1 FROM pg_dist_node WHERE "groupid" = 0');
  if (known.rows.length === 0)
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
  await client.query('SELECT citus_add_node($1, $2)', [worker.host, worker.port]);
  // One that was emptied and comes back.
  await client.query(`SELECT citus_set_node_property($1, $2, 'shouldhaveshards', true)`, [worker.host, worker.port]);
}

/** How far the moving of rows between workers is. */
export interface RebalanceProgress {
  readonly done: number;
  readonly of: number;
  /** What goes wrong, in the words of the database; it is tried again. */
  readonly trouble: string | undefined;
}

/** Begins to share rows evenly among workers, in the background of the database; goes on with one that is under way. */
export async function startRebalance(client: Client, { emptiesOnly = false } = {}): Promise<void> {
  const last = await lastRebalance(client);
  if (last !== undefined && !ENDED.includes(last.state)) return;
  await client.query('SELECT citus_rebalance_start(drain_only => $1)', [emptiesOnly]);
}

/** Undefined once it is done, or where there is nothing to do. Fails if the database gave it up. */
export async function rebalanceProgress(client: Client): Promise<RebalanceProgress | undefined> {
  const last = await lastRebalance(client);
  if (last === undefined || last.state === 'finished') return undefined;
  const progress = progressOf(last);
  if (ENDED.includes(last.state))
    throw new Error(`The database gave up moving rows (${last.state}): ${progress.trouble ?? 'its log says why'}`);
  return progress;
}

interface RebalanceRow {
  readonly state: string;
  readonly details: string | null;
}

const ENDED = ['finished', 'cancelled', 'failed'];
const LAST_REBALANCE = `SELECT CAST("state" AS TEXT) AS "state", CAST("details" AS TEXT) AS "details"
  FROM citus_rebalance_status() ORDER BY "job_id" DESC LIMIT 1`;

const lastRebalance = async (client: Client): Promise<RebalanceRow | undefined> =>
  (await client.query<RebalanceRow>(LAST_REBALANCE)).rows[0];

function progressOf({ details }: RebalanceRow): RebalanceProgress {
  const { task_state_counts: counts = {}, tasks = [] } = JSON.parse(details ?? '{}') as {
    task_state_counts?: Record<string, number>;
    tasks?: readonly { readonly message?: string }[];
  };
  const of = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { done: counts.done ?? 0, of, trouble: tasks.map(({ message }) => message).find(Boolean) };
}

/** A worker gets no more rows; `startRebalance` moves its rows away. */
export const emptyWorker = (client: Client, { host, port }: WorkerAddress) =>
  client.query(`SELECT citus_set_node_property($1, $2, 'shouldhaveshards', false)`, [host, port]);

const LEFTOVERS = `SELECT COUNT(*) AS "count" FROM pg_dist_cleanup JOIN pg_dist_node ON "node_group_id" = "groupid"
  WHERE "nodename" = $1 AND "nodeport" = $2`;

/**
 * Removes the tables that moved rows leave behind at a worker, which Citus does later otherwise. After the worker is
 * removed this would not happen, and the worker could not be added again.
 * @returns whether all are removed; some wait for transactions that are under way
 */
export async function cleanWorker(client: Client, { host, port }: WorkerAddress): Promise<boolean> {
  await client.query('CALL citus_cleanup_orphaned_resources()');
  return Number((await client.query(LEFTOVERS, [host, port])).rows[0].count) === 0;
}

export const removeWorker = (client: Client, { host, port }: WorkerAddress) =>
  client.query('SELECT citus_remove_node($1, $2)', [host, port]);

const HAS_EXTENSION = `SELECT 1 FROM pg_extension WHERE extname = 'citus'`;
const ROLE = `SELECT (SELECT "groupid" FROM pg_dist_local_group) AS "group",
  (SELECT COUNT(*) FROM pg_dist_node
   WHERE "groupid" <> 0 AND "noderole" = 'primary' AND "isactive" AND "shouldhaveshards") AS "workers"`;

/**
 * How many workers take rows: 0 where the database is an ordinary one, or has the extension and no workers yet. Fails at a
 * worker: the coordinator alone issues ids and knows which servers belong to the cluster.
 */
export async function countWorkers(client: Pick<Client, 'query'>): Promise<number> {
  if ((await client.query(HAS_EXTENSION)).rows.length === 0) return 0;
  const [row] = (await client.query(ROLE)).rows;
  if (Number(row.group) !== 0)
    throw new Error('This PostgreSQL server is a worker of Citus. Name the coordinator in TRACKWAY_DATABASE_URL.');
  return Number(row.workers);
}
