import type { AnyDatabase } from '../storage/database.ts';
import { runSql } from '../storage/run-sql.ts';
import type { Cell } from '../storage/shape.ts';
import { expiredReason } from './fate.ts';
import { EXPIRE, FIND_WAITING, FORGET_ENDED, FORGET_SENT, PAGE } from './statements.ts';

const DAY_MS = 24 * 3_600_000;
/** How long the record of what was sent is kept, and of what was not. */
const SENT_MS = 7 * DAY_MS;
const ENDED_MS = 30 * DAY_MS;
const CHUNK = 500;

/** What waited too long is dead, whatever its destination is like. */
export async function expireOld(db: AnyDatabase, now: number): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const page = await runSql<{ id: number }>(db.query, db.storeKind, FIND_WAITING, [after, now]);
    for (const { id } of page) count += await expireAt(db, id, now);
    if (page.length < PAGE) return count;
    after = page.at(-1)!.id;
  }
}

async function expireAt(db: AnyDatabase, id: number, now: number): Promise<number> {
  const oldest = await db.query
    .selectFrom('outbox')
    .innerJoin('destinations', 'destinations.id', 'outbox.destinationId')
    .select(['outbox.expires', 'destinations.userId', 'destinations.lastError'])
    .where('outbox.destinationId', '=', id)
    .where('outbox.state', '=', 'queued')
    .orderBy('outbox.id')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined || oldest.expires > now) return 0;
  // What the operator's own servers said last may be about a mail of another user.
  const reason = expiredReason(oldest.userId === null ? null : oldest.lastError);
  return inChunks(db, EXPIRE, [reason, now, id, CHUNK, now]);
}

/**
 * Deletes the record of what ended long ago.
 * @param forgotten told which rows are gone
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

/** A little at a time, so that others can write in between. */
async function inChunks(
  db: AnyDatabase,
  sql: string,
  cells: readonly Cell[],
  done: (ids: readonly number[]) => Promise<void> = async () => {},
): Promise<number> {
  for (let count = 0; ; ) {
    const changed = await runSql<{ id: number }>(db.query, db.storeKind, sql, cells);
    await done(changed.map(({ id }) => id));
    count += changed.length;
    if (changed.length < CHUNK) return count;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
