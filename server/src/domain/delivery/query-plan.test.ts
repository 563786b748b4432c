import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { citusUrl } from '../../testing/storage/citus-places.ts';
import { planOf } from '../../testing/storage/query-plan.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { dueBundles, heldIn } from './digests.ts';
import { sentSince } from './people.ts';

/** An outbox may hold millions: what is asked for each notification, and every two seconds, is found by an index. */
onEitherEngine<Tables>('hot statements about notifications of people', { migrations: MIGRATIONS }, (open) => {
  // A setting of a transaction does not hold where Citus does its tasks.
  const skip = citusUrl() !== undefined;
  test('each is answered by the index that is made for it', { skip }, async () => {
    const store = await open();
    const bundle = { userId: 1, channel: 'email' as const, destinationId: 1, address: 'a@example.com' };
    assert.match(await planOf(store, sentSince(store.query, [1, 2], 5).compile()), /outbox_people/);
    assert.match(await planOf(store, dueBundles(store.query, 5).compile()), /outbox_held/);
    assert.match(await planOf(store, heldIn(store.query, bundle, 5).compile()), /outbox_held/);
  });
});
