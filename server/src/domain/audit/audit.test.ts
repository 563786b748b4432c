import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { makeUser, NOW } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { failureRecorder, forgetOldAudit, recordAudit } from './record.ts';

const MINUTE_MS = 60_000;

onEitherEngine<Tables>('audit', { migrations: MIGRATIONS }, (open) => {
  const entries = (store: Store) => store.query.selectFrom('auditEntries').selectAll().orderBy('id').execute();

  test('wrong passwords cannot fill the disk', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const record = failureRecorder(store);
    const fail = (address: string, now: number, who: object = { userId }) =>
      record({ action: 'session.failed', address, ...who }, now);
    for (let attempt = 0; attempt < 30; attempt++) await fail('192.0.2.1', NOW + attempt);
    // One network of IPv6 is one caller, and unknown names are one account.
    for (let attempt = 0; attempt < 30; attempt++)
      await fail(`2001:db8:1:2:${attempt}::1`, NOW, { name: `${attempt}@example.com` });
    assert.deepEqual(
      (await entries(store)).map(({ count, userId: whom }) => [count, whom]),
      [
        [30, userId],
        [30, null],
      ],
    );
    for (let attempt = 0; attempt < 200; attempt++) await fail(`198.51.100.${attempt}`, NOW);
    const after = await entries(store);
    assert.equal(after.length, 21, '20 of their own, and one for all others');
    assert.equal(
      after.reduce((sum, { count }) => sum + count, 0),
      260,
    );
    await fail('192.0.2.1', NOW + MINUTE_MS);
    assert.equal((await entries(store)).length, 22, 'the next minute has entries of its own');
  });

  test('entries are forgotten after their time, however many they are', async () => {
    const store: Store = await open();
    for (let slice = 0; slice < 25; slice++)
      await store.transaction(async (tx) => {
        for (let entry = 0; entry < 100; entry++) await recordAudit(tx, { action: 'session.started' }, NOW - entry);
      });
    await recordAudit(store.query, { action: 'session.ended' }, NOW + 1);
    await forgetOldAudit(store, NOW + 1);
    assert.deepEqual(
      (await entries(store)).map(({ action }) => action),
      ['session.ended'],
    );
  });
});
