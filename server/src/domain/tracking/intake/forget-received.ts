import type { Store } from '../../schema/tables.ts';

const CHUNK = 1000;

/** Forgets which items were received once the same words would be taken for new ones anyway, in small steps. */
export async function forgetReceivedItems(store: Store, now: number): Promise<void> {
  for (;;) {
    const last = await store.query
      .selectFrom('receivedItems')
      .select('until')
      .where('until', '<=', now)
      .orderBy('until')
      .offset(CHUNK - 1)
      .limit(1)
      .executeTakeFirst();
    await store.query
      .deleteFrom('receivedItems')
      .where('until', '<=', last?.until ?? now)
      .execute();
    if (last === undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
