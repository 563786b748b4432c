import type { Client } from 'pg';
import type { Migration } from '../../migrations.ts';
import { slotKeysOf } from '../../placement.ts';

/**
 * The group of each slot, which are those that can share a transaction: each is one by itself, since only what names a
 * single slot is sent to a worker as a whole. Undefined where the tables are not spread yet.
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
  return (slot) => slot;
}
