import type { Client } from 'pg';
import type { Migration } from '../../migrations.ts';
import { slotKeysOf } from '../../placement.ts';

const SPREAD_TABLE = `SELECT CAST("logicalrelid" AS TEXT) AS "table" FROM pg_dist_partition WHERE "partmethod" = 'h' LIMIT 1`;
const PARTS = `SELECT get_shard_id_for_distribution_column(CAST($1 AS regclass), CAST(slot AS SMALLINT)) AS "part"
  FROM generate_series(0, CAST($2 AS INTEGER) - 1) AS slot ORDER BY slot`;

/**
 * The group of each slot: the part of a table that has its rows. Slots of one part share a transaction at one server, also
 * while parts move from one worker to another. Undefined where the tables are not spread yet.
 */
export async function slotGroups(client: Client, migrations: readonly Migration[]): Promise<number[] | undefined> {
  const keys = slotKeysOf(migrations);
  if (keys === undefined) return undefined;
  const [spread] = (await client.query(SPREAD_TABLE)).rows;
  if (spread === undefined) return undefined;
  const { rows } = await client.query(PARTS, [spread.table, keys.slots]);
  return rows.map(({ part }) => Number(part));
}
