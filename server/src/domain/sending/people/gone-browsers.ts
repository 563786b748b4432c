import type { Store } from '../../schema/tables.ts';

/** A browser that is gone never comes back to its address, so what waits for it is given up at once. */
export async function giveUpGoneBrowsers(store: Store, now: number): Promise<void> {
  await store.query
    .updateTable('outbox')
    .set({ state: 'dead', reason: 'The browser is no longer subscribed', ended: now })
    .where('state', '=', 'queued')
    .where('destinationId', 'in', (of) =>
      of.selectFrom('destinations').select('id').where('kind', '=', 'push').where('state', '=', 'off'),
    )
    .execute();
}
