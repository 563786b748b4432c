import type { Client } from 'pg';
import type { Placements } from '../../placement.ts';
import { MIGRATION_LOCK } from '../migrate.ts';
import { dueTables, isSpread, placeTables, type SpreadProgress } from './place-tables.ts';
import { isSpreadUnfinished } from './spread-notes.ts';

/** Lets a start bring new tables to their place. The first time is left to `trackway cluster spread`. */
export async function spreadAtStart(
  client: Client,
  placements: Placements,
  say: (sentence: string) => void,
): Promise<void> {
  if ((await dueTables(client, placements)).length === 0 && !(await isSpreadUnfinished(client))) return;
  await underLock(client, async () => {
    if ((await isSpread(client, placements)) || (await isAsked(client)))
      await placeTables(client, placements, { report: sayProgress(say) });
    else
      say(
        'The database has workers of Citus, but its tables are not spread over them, and are used as those of an ordinary PostgreSQL. "trackway cluster spread" does it: see docs/scaling.md.',
      );
  });
}

/** Tests spread an empty database as it is made: `ALTER DATABASE … SET trackway.spread = 'on'`. */
async function isAsked(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ asked: string | null }>(
    `SELECT current_setting('trackway.spread', true) AS "asked"`,
  );
  return rows[0]?.asked === 'on';
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
