import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../testing/databases.ts';
import { makeDevice, makeUser, NOW } from '../testing/people.ts';
import { readPeople } from './delivery/people.ts';
import { queueRight } from './delivery/queue-holders.ts';
import { hasRights, keepAdminPolicy } from './rights.ts';
import { MIGRATIONS } from './schema/migrations.ts';
import type { Store, Tables } from './schema/tables.ts';

onBothEngines<Tables>('an admin, where only the database is asked', { migrations: MIGRATIONS }, (open) => {
  test('needs the second factor that is demanded, for devices, mail and queues of others', async () => {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const { userId } = await makeUser(store, 'admin@example.com');
    const deviceId = await makeDevice(store, owner.userId, {});
    const target = 'arn:aws:sqs:eu-west-1:123456789012:mine';
    const { id } = await store.query
      .insertInto('destinations')
      .values({ kind: 'sqs', target, userId, created: NOW })
      .returning('id')
      .executeTakeFirstOrThrow();
    const counts = async () => ({
      devices: await hasRights(store.query, userId, [{ deviceId, right: 'manage' }]),
      people: (await readPeople(store.query, [userId])).get(userId)!.isAdmin,
      queues: (await queueRight(store.query, id)) === 'proven',
    });
    const all = (value: boolean) => ({ devices: value, people: value, queues: value });
    const become = (is: { admin?: number; hasSecondFactor?: number; kind?: 'person' | 'service' }) =>
      store.query.updateTable('users').set(is).where('id', '=', userId).execute();

    assert.deepEqual(await counts(), all(false), 'no admin');
    await become({ admin: 1 });
    assert.deepEqual(await counts(), all(true), 'nothing is demanded');
    await keepAdminPolicy(store, { needsSecondFactor: true });
    assert.deepEqual(await counts(), all(false), 'without the factor');
    await become({ hasSecondFactor: 1 });
    assert.deepEqual(await counts(), all(true), 'with the factor');
    await become({ hasSecondFactor: 0, kind: 'service' });
    assert.deepEqual(await counts(), all(true), 'a program cannot give one');
    await become({ kind: 'person' });
    await keepAdminPolicy(store, { needsSecondFactor: false });
    assert.deepEqual(await counts(), all(true), 'no longer demanded');
  });
});
