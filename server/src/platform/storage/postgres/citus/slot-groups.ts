import type { Client } from 'pg';
import type { Migration } from '../../migrations.ts';
import { slotKeysOf } from '../../placement.ts';

/**
 * The group of each slot: those whose rows are always at one server. Rows that are moved to another worker go there with
 * their whole group, so what is read at the start stays right. Undefined where the tables are not spread yet.
 */
export async function slotGroups(
  client: Client,
  migrations: readonly Migration[],
): Promise<((slot: number) => number) | undefined> {
  const keys = slotKeysOf(migrations);
  if (keys === undefined) return undefined;
  const { rows: spread } = await client.query(
    `SELECT CAST("logicalrelid" AS TEXT) AS "table" FROM pg_dist_partition WHERE "partmethod" = 'h' LIMIT 1`,
  );
  if (spread.length === 0) return undefined;
  const { rows } = await client.query(
    `SELECT "slot", get_shard_id_for_distribution_column(CAST($1 AS regclass), "slot") AS "shard"
     FROM generate_series(0, CAST($2 AS INTEGER) - 1) AS "slot"`,
    [spread[0].table, keys.slots],
  );
  const groups = new Map<number, number>(rows.map(({ slot, shard }) => [Number(slot), Number(shard)]));
  return (slot) => groups.get(slot)!;
}
