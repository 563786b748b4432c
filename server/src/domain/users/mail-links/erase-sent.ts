import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../schema/tables.ts';

const AT_ONCE = 500;
/** Spelled as the indexes on them are. */
const READABLE = [
  sql<boolean>`"what" = 'account' AND "content" <> '{}'`,
  sql<boolean>`"what" = 'report' AND "content" <> '{}'`,
];

/**
 * Mail about accounts holds links that let in whoever reads them, so what it said is erased once it was sent or given up.
 * It cannot be sent again: a new mail has a new link. Reports are large, and can be made anew.
 */
export async function eraseSentMail(store: Store): Promise<void> {
  for (const isReadable of READABLE) await erase(store, isReadable);
}

async function erase(store: Store, isReadable: RawBuilder<boolean>): Promise<void> {
  const ended = await store.query
    .selectFrom('outbox')
    .select('id')
    .where(isReadable)
    .where('ended', 'is not', null)
    .limit(AT_ONCE)
    .execute();
  if (ended.length === 0) return;
  const ids = ended.map(({ id }) => id);
  await store.query
    .updateTable('outbox')
    .set({ content: '{}' })
    .where('id', 'in', ids)
    .where('ended', 'is not', null)
    .execute();
}
