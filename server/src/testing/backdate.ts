import type { TestDatabasePlace } from './databases.ts';
import { lookInto } from './place.ts';

/**
 * Makes all fences and triggers of a store valid from the beginning of time: a fix is evaluated by the rules of its own
 * time, and tests and benches send fixes of past days. No server may have read the rules yet.
 */
export function backdateRules(place: TestDatabasePlace): Promise<void> {
  return lookInto(place, async (store) => {
    await store.query.updateTable('geofenceVersions').set({ validFrom: 0, shapedAt: 0 }).execute();
    await store.query.updateTable('triggerVersions').set({ validFrom: 0 }).execute();
  });
}
