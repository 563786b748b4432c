import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser, NOW, PASSWORD } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { accountOperations } from './accounts.ts';
import { makeAdminOfSettings, openSetup, setUpOperations } from './first-admin.ts';
import { requireStrongPassword } from './require-strong.ts';

const jane = { email: 'jane.doe@example.com', username: 'jdoe77', name: 'Jane Elizabeth Doe' };
const weak = { statusCode: 422, message: /too easy to guess/ };

test('what everybody uses, repeats, rows of keys and what is known of the user are refused with what to do', async () => {
  for (const password of [
    'password',
    '12345678',
    'Passw0rd!',
    'qwertyuiop',
    'aaaaaaaaaaaaaaaaaaaaaaaa',
    'abcabcabcabc',
    '2026-11-15',
    'trackway',
    'jane.doe@example.com',
    'jdoe77jdoe77',
    'ElizabethDoe1',
  ])
    await assert.rejects(requireStrongPassword(password, jane), weak, password);
  await assert.rejects(requireStrongPassword('password', jane), /heavily used.*use several words/);
});

test('several words, and what a password manager makes, are taken however long', async () => {
  for (const password of [
    PASSWORD,
    'walk the dog at noon',
    'q8Zx0vLm2RtY',
    'tricycle-lagoon-84',
    'æøå ñandú 漢字 käse',
  ])
    await requireStrongPassword(password, jane);
  await requireStrongPassword('tricycle-lagoon-84 '.repeat(13), jane);
});

onEitherEngine<Tables>('strong passwords', { migrations: MIGRATIONS }, (open) => {
  test('every way to set one asks for a strong one; one that was set before still works', async () => {
    const store: Store = await open();
    const token = await openSetup(store, testVault);
    const nobody = { userId: 0, admin: false, tokenId: 0 };
    const email = 'first@example.com';
    const setUp = (password: string) =>
      setUpOperations(store).setUp(callOf(nobody, { body: { token, email, password } }));
    await assert.rejects(setUp('password'), weak);
    await setUp(PASSWORD);
    await assert.rejects(makeAdminOfSettings(store, 'admin@example.com', '12345678', NOW), weak);
    const admin = await makeUser(store, 'boss@example.com', true);
    const { createUser, updateUser, changePassword } = accountOperations(store);
    const person = { email: 'ann@example.com', password: 'annexample' };
    await assert.rejects(createUser(callOf(admin, { body: person })), weak);
    const { id } = (await createUser(callOf(admin, { body: { ...person, password: PASSWORD } }))) as { id: number };
    const ann = { userId: id, admin: false, tokenId: 0, signedInAt: NOW };
    await assert.rejects(updateUser(callOf(admin, { userId: id, body: { password: 'iloveyou' } })), weak);
    const change = (newPassword: string) =>
      changePassword(callOf(ann, { body: { oldPassword: PASSWORD, newPassword } }));
    await assert.rejects(change('ann@example.com'), weak);
    await change('walk the dog at noon');
  });
});
