import { SLOTS } from '../schema/slot.ts';
import type { Store } from '../schema/tables.ts';

/** How far back a stream can be resumed. */
export const RESUMABLE_MS = 24 * 3_600_000;
const CHUNK = 2000;
const FORGOTTEN = 'liveForgotten';

/** Returns the id up to which a log of one order has been deleted. */
export function forgottenOf(store: Store): () => Promise<number> {
  const read = store.prepare<{ value: string }>('live.forgotten', 'SELECT "value" FROM "settings" WHERE "name" = ?');
  return async () => Number((await read.get(FORGOTTEN))?.value ?? 0);
}

/**
 * Deletes events that are too old to be resumed, in small steps, and records the last deleted id in the same
 * transaction.
 */
export async function forgetLiveEvents(store: Store, now: number, chunk = CHUNK): Promise<number> {
  if (store.storeKind === 'sqlite') return forgetIn(store, undefined, now, chunk);
  let count = 0;
  for (let slot = 0; slot < SLOTS; slot++) count += await forgetIn(store, slot, now, chunk);
  return count;
}

async function forgetIn(store: Store, slot: number | undefined, now: number, chunk: number): Promise<number> {
  let count = 0;
  for (;;) {
    const oldest = await store.query
      .selectFrom('liveEvents')
      .select(['id', 'created'])
      .$if(slot !== undefined, (query) => query.where('slot', '=', slot!))
      .orderBy('id')
      .limit(chunk)
      .execute();
    const firstKept = oldest.findIndex(({ created }) => created >= now - RESUMABLE_MS);
    const old = firstKept === -1 ? oldest : oldest.slice(0, firstKept);
    const last = old.at(-1);
    if (last === undefined) return count;
    await (slot === undefined ? forgetUpTo(store, last.id) : forgetInSlot(store, slot, last.id));
    count += old.length;
    if (old.length < chunk) return count;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function forgetUpTo(store: Store, id: number): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.deleteFrom('liveEvents').where('id', '<=', id).execute();
    const value = String(id);
    await tx
      .insertInto('settings')
      .values({ name: FORGOTTEN, value })
      .onConflict((on) => on.column('name').doUpdateSet({ value }))
      .execute();
  });
}

async function forgetInSlot(store: Store, slot: number, id: number): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.deleteFrom('liveEvents').where('slot', '=', slot).where('id', '<=', id).execute();
    // Last, since the row is the lock of the slot.
    await tx.updateTable('slots').set({ forgotten: id }).where('slot', '=', slot).where('forgotten', '<', id).execute();
  });
}
