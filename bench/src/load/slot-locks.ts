import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/**
 * How long the locks of slots are held, by looking again and again: a row that a transaction has changed or locked names
 * that transaction until its end. Looking takes no lock.
 */

const EVERY_MS = 3;
const HELD = `SELECT "slot" FROM "slots" WHERE xmax::text <> '0' AND pg_xact_status(xmax::text::xid8) = 'in progress'`;
const SLOTS = 64;

export async function sampleLocks(url: string): Promise<{ stop(): Promise<number[]> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const held = new Array<number>(SLOTS).fill(0);
  let looks = 0;
  let isStopped = false;
  const looking = (async () => {
    while (!isStopped) {
      const { rows } = await client.query({ name: 'held', text: HELD });
      for (const { slot } of rows) held[Number(slot)]! += 1;
      looks += 1;
      await pause(EVERY_MS);
    }
    await client.end();
  })();
  return {
    /** The share of the time, by slot. */
    async stop() {
      isStopped = true;
      await looking;
      return held.map((count) => count / looks);
    },
  };
}
