import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { deleteDevice } from './dependants.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Tables } from './tables.ts';

onBothEngines<Tables>('a device that is deleted for good', { migrations: MIGRATIONS }, (open) => {
  test('is not near the device of a proximity trigger any more', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'owner@example.com');
    const [deviceId, otherDeviceId] = [await makeDevice(store, userId), await makeDevice(store, userId)];
    const { id: triggerId } = await store.query
      .insertInto('notificationTriggers')
      .values({ deviceId, userId, name: 'near', type: 'proximity', muteFor: 0, delivery: '{}' } as never)
      .returning('id')
      .executeTakeFirstOrThrow();
    await store.query.insertInto('proximities').values({ triggerId, otherDeviceId, startedAt: NOW }).execute();
    await store.transaction((tx) => deleteDevice(tx, otherDeviceId));
    assert.deepEqual(await store.query.selectFrom('proximities').selectAll().execute(), []);
  });
});
