import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onBothEngines } from '../../testing/databases.ts';
import { citusUrl } from '../../testing/storage/citus-places.ts';
import { planOf as queryPlan } from '../../testing/storage/query-plan.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';

/** The readings of a gateway are found by indexes that contain no readings of devices about themselves. */
onBothEngines<Tables>('readings of a gateway', { migrations: MIGRATIONS }, (open) => {
  // A setting of a transaction does not apply where Citus runs its tasks.
  const skip = citusUrl() !== undefined;
  test('each list is read from its index', { skip }, async () => {
    const store = await open();
    const planOf = (query: { compile(): CompiledQuery }) =>
      queryPlan(
        store,
        query.compile(),
        'SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off',
      );
    const ofGateway = store.query.selectFrom('gatewayReadings').select(['id', 'timestamp']).where('gatewayId', '=', 7);
    const byTime = ofGateway.orderBy('timestamp').orderBy('id').limit(5);
    assert.match(await planOf(ofGateway.where('type', '=', 'temp').orderBy('id').limit(5)), /gateway_type/);
    assert.match(await planOf(byTime), /gateway_timestamp/);
    assert.match(await planOf(byTime.where('timestamp', 'in', [1, 2, 3])), /gateway_timestamp/);
    assert.match(await planOf(ofGateway.orderBy('id').limit(5)), /gatewayReadings_gateway/);
    assert.match(await planOf(ofGateway.where('deviceId', '=', 8).orderBy('id').limit(5)), /_device_gateway/);
    // What a device reported of itself is in one index only, since trackers send such readings with each position.
    const about = store.query.selectFrom('gatewayReadings').select(['id', 'timestamp']).where('deviceId', '=', 7);
    assert.match(await planOf(about.orderBy('timestamp').orderBy('id').limit(5)), /_device_timestamp/);
    const own = about.where('gatewayId', 'is', null);
    assert.match(await planOf(own.where('timestamp', 'in', [1, 2])), /_device_timestamp/);
    assert.match(await planOf(own.orderBy('timestamp').orderBy('id').limit(5)), /_device_timestamp/);
  });
});
