import { sql } from 'kysely';
import { STAGED_POSTINGS } from '../domain/delivery/outbox-relay.ts';
import type { Store } from '../domain/schema/tables.ts';
import { relayAll } from '../platform/storage/relay.ts';
import { watchfulLog } from './watchful-log.ts';

/** Moves what tests staged into the outbox, at the time of the last of it. Only distributed rows are staged. */
export async function relayStaged(store: Store): Promise<void> {
  if (!store.dialect.isDistributed) return;
  const { rows } = await sql<{ last: number | null }>`SELECT MAX("created") AS "last" FROM "outboxRelay"`.execute(
    store.query,
  );
  const last = rows[0]?.last ?? null;
  if (last !== null) await relayAll(store, STAGED_POSTINGS, { log: watchfulLog, clock: () => last });
}
