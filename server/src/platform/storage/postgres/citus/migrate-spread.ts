import type { Client } from 'pg';
import type { CitusServer } from './find-citus.ts';

/**
 * A migration changes tables of all kinds in one transaction. Tables that are spread refer to copies that each server has,
 * so Citus lets a transaction change both only if it goes over one connection to each server.
 */
export async function migrateSpread(
  client: Client,
  citus: CitusServer | undefined,
  migrate: () => Promise<void>,
): Promise<void> {
  if (citus === undefined) return migrate();
  await client.query(`SET citus.multi_shard_modify_mode = 'sequential'`);
  try {
    await migrate();
  } finally {
    await client.query('RESET citus.multi_shard_modify_mode').catch(() => {});
  }
}
