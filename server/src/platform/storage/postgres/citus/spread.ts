import type { Client } from 'pg';
import type { Placements } from '../../placement.ts';
import { MIGRATION_LOCK } from '../migrate.ts';
import { dueTables, isSpread, KEYS, placeTables, type SpreadProgress } from './place-tables.ts';
import { isSpreadUnfinished, noteSpread } from './spread-notes.ts';

/** Records that an empty database must be distributed at this start, also if the start is killed in between. */
export const noteEmpty = (client: Client) =>
  underLock(client, async () => {
    const { rows } = await client.query(`SELECT to_regclass('migrations') IS NULL AS "isEmpty"`);
    if (rows[0].isEmpty) await noteSpread(client, KEYS, []);
  });

/** Distributes an empty database, and tables that are new. One with rows is left to `trackway cluster spread`. */
export async function spreadAtStart(
  client: Client,
  placements: Placements,
  say: (sentence: string) => void,
): Promise<void> {
  if ((await dueTables(client, placements)).length === 0 && !(await isSpreadUnfinished(client))) return;
  await underLock(client, async () => {
    if ((await isSpread(client, placements)) || (await isSpreadUnfinished(client)))
      await placeTables(client, placements, { report: sayProgress(say) });
    else
      say(
        'The database has Citus workers, but was filled before and its tables are not distributed. It is used as an ordinary PostgreSQL. "trackway cluster spread" distributes it: see docs/operations/scaling.md.',
      );
  });
}

export async function underLock<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
  try {
    return await work();
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`).catch(() => {});
  }
}

/** Less than this needs no words. */
const MANY_ROWS = 100_000;

const sayProgress =
  (say: (sentence: string) => void) =>
  ({ table, rows, done, of }: SpreadProgress) => {
    if (rows >= MANY_ROWS)
      say(`Spreading the table ${table} with about ${rows} rows over the workers (${done} of ${of}).`);
  };

/**
 * A migration changes tables of all kinds in one transaction. Tables that are spread refer to copies that each server has,
 * so Citus lets a transaction change both only if it goes over one connection to each server.
 */
export async function migrateSpread(client: Client, workers: number, migrate: () => Promise<void>): Promise<void> {
  if (workers === 0) return migrate();
  await client.query(`SET citus.multi_shard_modify_mode = 'sequential'`);
  try {
    await migrate();
  } finally {
    await client.query('RESET citus.multi_shard_modify_mode').catch(() => {});
  }
}
