import type { AnyDatabase } from '../storage/database.ts';
import { runSql } from '../storage/run-sql.ts';
import type { Cell } from '../storage/shape.ts';
import { expired } from './retries.ts';
import { EXPIRE, FIND_WAITING, FORGET_ENDED, FORGET_SENT, PAGE } from './statements.ts';

const DAY_MS = 24 * 3_600_000;
/** Retention of the records of sent messages, and of unsent ones. */
const SENT_MS = 7 * DAY_MS;
const ENDED_MS = 30 * DAY_MS;
const CHUNK = 500;

/** Rows that waited too long are dead, regardless of their destination. */
export async function expireOld(db: AnyDatabase, now: number): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const page = await runSql<{ id: number }>(db.query, FIND_WAITING, [after, now]);
    for (const { id } of page) count += await expireAt(db, id, now);
    if (page.length < PAGE) return count;
    after = page.at(-1)!.id;
  }
}

async function expireAt(db: AnyDatabase, id: number, now: number): Promise<number> {
  const oldest = await db.query
    .selectFrom('outbox')
    .innerJoin('destinations', 'destinations.id', 'outbox.destinationId')
    .select(['outbox.expires', 'destinations.userId', 'destinations.lastError', 'destinations.lastErrorDetails'])
    .where('outbox.destinationId', '=', id)
    .where('outbox.state', '=', 'queued')
    .orderBy('outbox.id')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined || oldest.expires > now) return 0;
  // The last response of the operator's own servers may be about another user's mail.
  const { userId, lastError, lastErrorDetails } = oldest;
  const isOwn = userId !== null && lastError !== null;
  const why = expired(isOwn ? { reason: lastError, reasonDetails: lastErrorDetails } : null);
  return inChunks(db, EXPIRE, [why.reason, why.reasonDetails, now, id, CHUNK, now]);
}

/**
 * Deletes the records of old deliveries.
 * @param forgotten called with the deleted rows
 */
export async function forgetOldDeliveries(
  db: AnyDatabase,
  now: number,
  forgotten: (ids: readonly number[]) => Promise<void> = async () => {},
): Promise<number> {
  return (
    (await inChunks(db, FORGET_SENT, [now - SENT_MS, CHUNK], forgotten)) +
    (await inChunks(db, FORGET_ENDED, [now - ENDED_MS, CHUNK], forgotten))
  );
}

/** In small steps, so that others can write in between. */
async function inChunks(
  db: AnyDatabase,
  sql: string,
  cells: readonly Cell[],
  done: (ids: readonly number[]) => Promise<void> = async () => {},
): Promise<number> {
  for (let count = 0; ; ) {
    const changed = await runSql<{ id: number }>(db.query, sql, cells);
    await done(changed.map(({ id }) => id));
    count += changed.length;
    if (changed.length < CHUNK) return count;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
