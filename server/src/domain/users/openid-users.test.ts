import assert from 'node:assert/strict';
import test from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { userOfClaims } from './openid-users.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const VISITOR = { address: '192.0.2.7', origin: 'https://track.example.com', now: NOW };
const claims = (email: string) => ({
  issuer: 'https://id.example.com',
  subject: email,
  email,
  isVerified: true,
  name: undefined,
  usedSecondFactor: false,
});

onEitherEngine<Tables>('users of OpenID Connect', { migrations: MIGRATIONS }, (open) => {
  const OPTIONS = { domains: [], createsUsers: true };

  test('an account whose address was never confirmed is not linked', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'jane@example.com');
    await store.query.updateTable('users').set({ emailConfirmedAt: null }).where('id', '=', userId).execute();
    assert.deepEqual(await userOfClaims(store, claims('jane@example.com'), OPTIONS, VISITOR), {
      problem: 'unconfirmed',
    });
    await store.query.updateTable('users').set({ emailConfirmedAt: NOW }).where('id', '=', userId).execute();
    assert.deepEqual(await userOfClaims(store, claims('jane@example.com'), OPTIONS, VISITOR), { userId });
  });

  test('an account that is made has a confirmed address, and gets what waited for it', async () => {
    const store = await open();
    const confirmed: string[] = [];
    const found = await userOfClaims(
      store,
      claims('new@example.com'),
      { ...OPTIONS, addressConfirmed: async (_tx, { email }) => void confirmed.push(email) },
      VISITOR,
    );
    assert.ok('userId' in found);
    const user = await store.query.selectFrom('users').selectAll().where('id', '=', found.userId).executeTakeFirst();
    assert.deepEqual([user?.emailConfirmedAt, confirmed], [NOW, ['new@example.com']]);
  });
});
