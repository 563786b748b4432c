import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POSTGRES, SQLITE } from '../../platform/storage/dialect.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { installationLease } from './installation-lease.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Tables } from './tables.ts';

onBothEngines<Tables>('a right of one process at a time', { migrations: MIGRATIONS }, (open) => {
  test('is had by one until it is given back or ends', async () => {
    const { query } = await open.at(await open.emptyPlace());
    // As several processes share it, on PostgreSQL.
    const shared = { query, dialect: POSTGRES };
    const [one, two] = [installationLease(shared, 'right', 100), installationLease(shared, 'right', 100)];
    assert.deepEqual(await Promise.all([one.hold(1000), one.hold(1000)]).then((all) => all.includes(true)), true);
    assert.equal(await two.hold(1001), false);
    assert.equal(await one.hold(1050), true);
    assert.equal(await two.hold(1149), false);
    assert.equal(await two.hold(1150), true, 'it has ended');
    assert.equal(await one.hold(1151), false);
    await one.release();
    assert.equal(await one.hold(1152), false, 'nobody gives back what another has');
    await two.release();
    assert.equal(await one.hold(1153), true);
  });

  test('is free at once where only one process can be', async () => {
    const place = await open.emptyPlace();
    const { query } = await open.at(place);
    const store = { query, dialect: SQLITE };
    assert.equal(await installationLease(store, 'right', 60_000).hold(1000), true);
    assert.equal(await installationLease(store, 'right', 60_000).hold(1001), true);
  });
});
