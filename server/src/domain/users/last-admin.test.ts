import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { accountOperations } from './accounts.ts';

const ROUNDS = 10;

onEitherEngine<Tables>('the last admin', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const accounts = accountOperations(store);
    const demote = (by: Caller, { userId }: Caller) =>
      accounts.updateUser(callOf(by, { userId, key: userId, body: { admin: false }, sent: { admin: false } }));
    const remove = (by: Caller, { userId }: Caller) => accounts.deleteUser(callOf(by, { key: userId }));
    const admins = async () =>
      (await store.query.selectFrom('users').select('id').where('admin', '=', 1).execute()).length;
    const retire = () => store.query.updateTable('users').set({ admin: 0 }).execute();
    return { store, demote, remove, admins, retire };
  }

  for (const [name, first, second] of [
    ['demote each other', 'demote', 'demote'],
    ['delete each other', 'remove', 'remove'],
    ['delete and demote each other', 'remove', 'demote'],
  ] as const)
    test(`two admins who ${name} at once leave one`, async () => {
      const { store, admins, retire, ...ways } = await setting();
      for (let round = 0; round < ROUNDS; round++) {
        await retire();
        const one = await makeUser(store, `one${round}@example.com`, true);
        const other = await makeUser(store, `other${round}@example.com`, true);
        const ends = await Promise.allSettled([ways[first](one, other), ways[second](other, one)]);
        assert.equal(await admins(), 1, `round ${round}`);
        assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1, `round ${round}`);
      }
    });

  test('three who all give up at once leave one', async () => {
    const { store, demote, admins } = await setting();
    const all: Caller[] = [];
    for (const name of ['a', 'b', 'c']) all.push(await makeUser(store, `${name}@example.com`, true));
    await Promise.allSettled(all.map((each) => demote(each, each)));
    assert.equal(await admins(), 1);
  });
});
