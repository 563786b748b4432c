import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { onBothEngines } from '../../../testing/databases.ts';
import { citusUrl } from '../../../testing/storage/citus-places.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { dueBundles, heldIn } from './digests.ts';
import { sentSince } from './people.ts';

/** An outbox may hold millions: what is asked for each notification, and every two seconds, is found by an index. */
onBothEngines<Tables>('hot statements about what people are told', { migrations: MIGRATIONS }, (open) => {
  async function planOf(store: Store, query: { compile(): CompiledQuery }): Promise<string> {
    const { sql, parameters } = query.compile();
    return store.transaction(async (tx) => {
      // An empty table is read whole whatever indexes it has, unless that is forbidden.
      if (store.storeKind === 'postgres') await tx.executeQuery(CompiledQuery.raw('SET LOCAL enable_seqscan = off'));
      const explain = store.storeKind === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
      const asked = CompiledQuery.raw(`${explain} ${sql}`, [...parameters]);
      const { rows } = await tx.executeQuery<Record<string, string>>(asked);
      return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
    });
  }

  // A setting of a transaction does not hold where Citus does its tasks.
  const skip = citusUrl() !== undefined;
  test('each is answered by the index that is made for it', { skip }, async () => {
    const store = await open();
    const bundle = { userId: 1, channel: 'email' as const, destinationId: 1, address: 'a@example.com' };
    assert.match(await planOf(store, sentSince(store.query, [1, 2], 5)), /outbox_people/);
    assert.match(await planOf(store, dueBundles(store.query, 5)), /outbox_held/);
    assert.match(await planOf(store, heldIn(store.query, bundle, 5)), /outbox_held/);
  });
});
