import type { Client } from 'pg';
import type { Placements } from '../../placement.ts';
import { MIGRATION_LOCK, runningNodes } from '../migrate.ts';
import { dueTables, isSpread, placeTables, type SpreadProgress } from './place-tables.ts';
import { isSpreadUnfinished } from './spread-notes.ts';

/**
 * Lets a start bring new tables to their place, and all of them the first time. Where other nodes run, the first time is
 * left to `trackway cluster spread`: they would stumble over tables that move.
 */
export async function spreadAtStart(
  client: Client,
  placements: Placements,
  say: (sentence: string) => void,
): Promise<void> {
  if ((await dueTables(client, placements)).length === 0 && !(await isSpreadUnfinished(client))) return;
  await underLock(client, async () => {
    const nodes = (await isSpread(client, placements)) ? [] : await runningNodes(client);
    if (nodes.length > 0) {
      const names = nodes.map(({ name }) => name).join(', ');
      say(
        `The database has workers now, but its tables are not spread over them, since nodes run: ${names}. Stop them all, and run "trackway cluster spread" or start one.`,
      );
      return;
    }
    await placeTables(client, placements, sayProgress(say));
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
