import type { Store } from '../schema/tables.ts';

const SLICE = 1000;

/** Deletes entries from before a time, in slices, so that nobody waits long for the writer. */
export async function forgetOldAudit(store: Store, before: number): Promise<void> {
  for (;;) {
    const old = await store.query
      .selectFrom('auditEntries')
      .select('id')
      .where('at', '<', before)
      .orderBy('at')
      .limit(SLICE)
      .execute();
    if (old.length === 0) return;
    const ids = old.map(({ id }) => id);
    await store.query.deleteFrom('auditEntries').where('id', 'in', ids).execute();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
