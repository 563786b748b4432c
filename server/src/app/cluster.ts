import type { Client } from 'pg';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import { SLOTS } from '../domain/schema/owned-devices.ts';
import { drainName } from '../domain/service/nodes/node.ts';
import { placementsOf } from '../platform/storage/placement.ts';
import { Addresses } from '../platform/storage/postgres/addresses.ts';
import { dueTables } from '../platform/storage/postgres/citus/place-tables.ts';
import { type CitusWorker, citusWorkers, countWorkers } from '../platform/storage/postgres/citus/workers.ts';
import { cellTypes } from '../platform/storage/postgres/types.ts';

/** Queries and commands of operators for the servers that share a PostgreSQL database. Nothing is migrated. */

export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly address: string;
  readonly state: 'up' | 'draining' | 'gone';
  /** Time since its last sign of life. */
  readonly seenAgoMs: number;
  readonly lagMs: number;
  readonly positionsPerMinute: number;
  readonly streams: number;
  /** What it alone does, and how many of it. */
  readonly owns: Readonly<Record<string, number>>;
}

export interface ClusterStatus {
  readonly nodes: readonly ClusterNode[];
  /** Standbys that follow now; undefined where this user may not see them. */
  readonly standbys: readonly Standby[] | undefined;
  readonly slots: { readonly count: number; readonly liveEntries: number };
  /** The servers over which the rows are spread; undefined where there is only the one. */
  readonly workers: readonly CitusWorker[] | undefined;
  /** How many tables are not at their place yet, where there are workers. */
  readonly unplaced: number;
}

export interface Standby {
  readonly name: string;
  readonly state: string;
  readonly sync: string;
  readonly lagBytes: number;
}

/** There is no database of this program, or one from before there were nodes. */
export class NoCluster extends Error {}

const TIMEOUT_MS = 10_000;

/** @param mayTakeLong whether a statement may take as long as it needs */
export async function asked<T>(
  url: string,
  ask: (client: Client) => Promise<T>,
  { mayTakeLong = false } = {},
): Promise<T> {
  const { default: pg } = await import('pg');
  const client = await new Addresses(url).connect(
    (address) =>
      new pg.Client({
        connectionString: address,
        connectionTimeoutMillis: TIMEOUT_MS,
        ...(!mayTakeLong && { query_timeout: TIMEOUT_MS }),
        application_name: 'trackway cluster',
        types: cellTypes,
      }),
  );
  try {
    const there = await client.query(`SELECT to_regclass('nodes') IS NOT NULL AS "isThere"`);
    if (!there.rows[0].isThere)
      throw new NoCluster('The database has no nodes yet. Start a server of this version with it first.');
    return await ask(client);
  } finally {
    await client.end().catch(() => {});
  }
}

const NOW = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)';
const NODES = `SELECT "nodes".*, ${NOW} - "seenAt" AS "seenAgoMs", "settings"."value" IS NOT NULL AS "isDraining"
  FROM "nodes" LEFT JOIN "settings" ON "settings"."name" = 'drain ' || "nodes"."id" ORDER BY "nodes"."name", "startedAt"`;
const STANDBYS = `SELECT application_name || ' ' || COALESCE(host(client_addr), '') AS "name", "state", sync_state AS "sync",
  COALESCE(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0) AS "lagBytes" FROM pg_stat_replication ORDER BY 1`;
const SLOT_FIGURES = `SELECT COUNT(*) AS "count", COALESCE(SUM("lastId" - "deletedId"), 0) AS "liveEntries" FROM "slots"`;
/** A role without the right to see the standbys gets rows without their state. */
const SEES_STANDBYS = `SELECT pg_has_role(current_user, 'pg_monitor', 'MEMBER') AS "sees"`;

export const clusterStatus = (url: string): Promise<ClusterStatus> =>
  asked(url, async (client) => {
    const sees = Number((await client.query(SEES_STANDBYS)).rows[0].sees) === 1;
    const { rows: slots } = await client.query(SLOT_FIGURES);
    const placements = placementsOf(MIGRATIONS);
    const hasWorkers = placements !== undefined && (await countWorkers(client)) > 0;
    return {
      nodes: (await client.query(NODES)).rows.map(nodeOf),
      standbys: sees ? (await client.query<Standby>(STANDBYS)).rows : undefined,
      slots: slots[0] ?? { count: SLOTS, liveEntries: 0 },
      workers: hasWorkers ? await citusWorkers(client) : undefined,
      unplaced: hasWorkers ? (await dueTables(client, placements)).length : 0,
    };
  });

// biome-ignore lint/suspicious/noExplicitAny: a row of the driver.
function nodeOf(row: any): ClusterNode {
  const { positionsPerMinute = 0, streams = 0 } = JSON.parse(row.figures);
  const isGone = row.goneAt !== null;
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    address: row.address,
    state: isGone ? 'gone' : row.isDraining ? 'draining' : 'up',
    seenAgoMs: Math.max(0, row.seenAgoMs),
    lagMs: row.lagMs,
    positionsPerMinute: isGone ? 0 : positionsPerMinute,
    streams: isGone ? 0 : streams,
    owns: JSON.parse(row.owns),
  };
}

/** Tells a node to end its work: it is not ready from now on, and stops after a while. */
export const drainNode = (url: string, nodeId: string, afterMs: number): Promise<void> =>
  asked(url, async (client) => {
    await client.query(
      `INSERT INTO "settings" ("name", "value") VALUES ($1, CAST(${NOW} + $2 AS TEXT))
       ON CONFLICT ("name") DO UPDATE SET "value" = excluded."value"`,
      [drainName(nodeId), afterMs],
    );
  });
