import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser, NOW, PASSWORD } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { accountOperations } from './accounts.ts';
import { makeAdminOfSettings, openSetup, setUpOperations } from './first-admin.ts';
import { invitationOperations } from './invitations.ts';
import { hashPassword, ownPasswordOf, passwordMatches } from './passwords.ts';
import { serviceAccountOperations } from './service-accounts.ts';
import { sessionOperations } from './sessions.ts';
import { authenticator, forgetOldTokens } from './tokens.ts';

const nobody = { userId: 0, admin: false, tokenId: 0 };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

test('a password matches its hash and no other, and the hash says its cost', async () => {
  const stored = await hashPassword(PASSWORD);
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await passwordMatches(stored, PASSWORD), true);
  assert.equal(await passwordMatches(stored, `${PASSWORD} `), false);
  assert.equal(await passwordMatches(undefined, PASSWORD), false);
  assert.equal(await passwordMatches('not a hash', PASSWORD), false);
});

onEitherEngine<Tables>('users', { migrations: MIGRATIONS }, (open) => {
  test('a refresh token gives one new pair of tokens, also to several requests at the same time', async () => {
    const store: Store = await open();
    await makeUser(store, 'a@example.com');
    const sessions = sessionOperations(store);
    const body = { username: 'a@example.com', password: PASSWORD, refreshable: 3600 };
    const { token, refreshToken } = (await sessions.loginV2(callOf(nobody, { body }))) as {
      token: string;
      refreshToken: string;
    };
    const refresh = () => sessions.refreshToken(callOf(nobody, { body: { accessToken: token, refreshToken } }));
    const results = await Promise.allSettled([refresh(), refresh(), refresh()]);
    const pairs = results.map((result) =>
      result.status === 'fulfilled' ? JSON.stringify(result.value) : result.status,
    );
    assert.equal(new Set(pairs).size, 1);
    assert.notEqual(pairs[0], 'rejected');
    await assert.rejects(authenticator(store)(token, NOW), { statusCode: 401 });
  });

  test('an expired token is distinguished from an unknown one for a month, then forgotten', async () => {
    const store: Store = await open();
    await makeUser(store, 'a@example.com');
    const body = { username: 'a@example.com', password: PASSWORD, ttl: 60 };
    const { id: token } = (await sessionOperations(store).login(callOf(nobody, { body }))) as { id: string };
    const authenticate = authenticator(store);
    assert.ok(await authenticate(token, NOW + 59_999));
    await forgetOldTokens(store, NOW + 30 * DAY_MS);
    await assert.rejects(authenticate(token, NOW + MINUTE_MS), { statusCode: 401, code: 'INVALID_TOKEN' });
    await forgetOldTokens(store, NOW + 30 * DAY_MS + MINUTE_MS + 1);
    await assert.rejects(authenticate(token, NOW), { statusCode: 401, code: 'AUTHORIZATION_REQUIRED' });
  });

  test('a set-up link makes one admin, also when two use it at once', async () => {
    const store: Store = await open();
    const token = await openSetup(store, testVault);
    const { setUp } = setUpOperations(store);
    const use = (email: string) => setUp(callOf(nobody, { body: { token, email, password: PASSWORD } }));
    await assert.rejects(
      setUp(callOf(nobody, { body: { token: 'wrong', email: 'x@example.com', password: PASSWORD } })),
      { statusCode: 403 },
    );
    const results = await Promise.allSettled([use('a@example.com'), use('b@example.com')]);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await openSetup(store, testVault), undefined);
    await assert.rejects(use('c@example.com'), { statusCode: 403 });
  });

  test('the admin of the settings is made once and does not come back', async () => {
    const store: Store = await open();
    assert.equal(await makeAdminOfSettings(store, 'Admin@Example.com', PASSWORD, NOW), true);
    assert.equal(await makeAdminOfSettings(store, 'admin@example.com', PASSWORD, NOW), false);
    await store.query.deleteFrom('users').execute();
    assert.equal(await makeAdminOfSettings(store, 'admin@example.com', PASSWORD, NOW), false);
  });

  test('the last admin stays one', async () => {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com', true);
    const accounts = accountOperations(store);
    await assert.rejects(accounts.deleteUser(callOf(admin, { key: admin.userId })), { statusCode: 422 });
    await assert.rejects(accounts.updateUser(callOf(admin, { body: { admin: false } })), { statusCode: 422 });
  });

  test('a new password ends every other session', async () => {
    const store: Store = await open();
    const user = await makeUser(store, 'a@example.com');
    const body = { username: 'a@example.com', password: PASSWORD };
    const sessions = sessionOperations(store);
    const authenticate = authenticator(store);
    const [mine, other] = [
      await sessions.login(callOf(nobody, { body })),
      await sessions.login(callOf(nobody, { body })),
    ] as { id: string }[];
    const caller = await authenticate(mine!.id, NOW);
    const change = { oldPassword: PASSWORD, newPassword: 'another long one' };
    await accountOperations(store).changePassword(callOf(caller, { userId: user.userId, body: change }));
    assert.ok(await authenticate(mine!.id, NOW));
    await assert.rejects(authenticate(other!.id, NOW), { statusCode: 401 });
    await assert.rejects(sessions.login(callOf(nobody, { body })), { statusCode: 401 });
  });

  test('an address cannot be read as several by a mail server', async () => {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com', true);
    const { createUser, updateUser } = accountOperations(store);
    const plain = await makeUser(store, 'plain@example.com');
    for (const email of ['x@y>,<z', 'x@y,z@example.com', '"x"@y', 'x@y;z', 'x:y@z']) {
      await assert.rejects(
        createUser(callOf(admin, { body: { email, password: PASSWORD } })),
        { statusCode: 422 },
        email,
      );
      await assert.rejects(
        updateUser(callOf(admin, { userId: plain.userId, body: { email } })),
        { statusCode: 422 },
        email,
      );
    }
  });

  test('an open session alone makes no admin, and takes over none', async () => {
    const store: Store = await open();
    const stale = { ...(await makeUser(store, 'admin@example.com', true)), signedInAt: NOW - 16 * MINUTE_MS };
    const fresh = { ...stale, signedInAt: NOW - MINUTE_MS };
    const { createUser, updateUser } = accountOperations(store);
    const { createServiceAccount } = serviceAccountOperations(store, { ownPassword: ownPasswordOf(store) });
    const mailer = {
      missing: undefined,
      publicUrl: 'https://trackway.example.com',
      wake: () => {},
      seal: testVault.seal,
    };
    const { createInvitation } = invitationOperations(store, mailer);
    const other = await makeUser(store, 'other@example.com', true);
    const plain = await makeUser(store, 'plain@example.com');
    let made = 0;
    const person = (admin: boolean) => ({ email: `user${made++}@example.com`, password: PASSWORD, admin });
    const refused = { statusCode: 403, code: 'FRESH_SIGN_IN_REQUIRED' };
    const change = (caller: Caller, { userId }: Caller, body: Record<string, unknown>) =>
      updateUser(callOf(caller, { userId, key: userId, body, sent: body }));
    const dangerous: ((caller: Caller) => Promise<unknown>)[] = [
      (caller) => createUser(callOf(caller, { body: person(true) })),
      (caller) => change(caller, other, { password: 'another long one' }),
      (caller) => change(caller, other, { email: 'elsewhere@example.com' }),
      (caller) => change(caller, plain, { admin: true }),
      (caller) => createServiceAccount(callOf(caller, { body: { name: 'Script', admin: false } })),
      (caller) => createInvitation(callOf(caller, { body: { email: `new${made++}@example.com`, admin: true } })),
    ];
    for (const act of dangerous) {
      for (const caller of [stale, { ...stale, signedInAt: undefined }]) await assert.rejects(act(caller), refused);
      await act(fresh);
    }
    // The password of the caller proves as much, and what is harmless needs no proof.
    await change(stale, other, { password: 'yet another long one', currentPassword: PASSWORD });
    await assert.rejects(change(stale, other, { password: 'yet another long one', currentPassword: 'wrong' }), {
      statusCode: 422,
    });
    await createUser(callOf(stale, { body: person(false) }));
    await change(stale, other, { name: 'Renamed', admin: true });
  });

  test('of two users who are made at once with the same name but for case, one is refused', async () => {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com', true);
    const { createUser } = accountOperations(store);
    const made = await Promise.allSettled(
      ['Jane', 'jane', 'JANE'].map((username, index) =>
        createUser(callOf(admin, { body: { username, email: `user${index}@example.com`, password: PASSWORD } })),
      ),
    );
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const one of made) if (one.status === 'rejected') assert.match(String(one.reason), /username.*is taken/i);
  });

  test('a username that could be taken for another is refused', async () => {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com', true);
    const { createUser, updateUser } = accountOperations(store);
    let made = 0;
    const create = (username: string) =>
      createUser(callOf(admin, { body: { username, email: `user${made++}@example.com`, password: PASSWORD } }));
    const { id } = (await create('Jane.Doe-7')) as { id: number };
    for (const username of [
      'jane.doe-7',
      'j\u0430ne',
      'ｊａｎｅ',
      'jane doe',
      'jane@x',
      'jane\u200b',
      '.jane',
      'x'.repeat(65),
    ])
      await assert.rejects(create(username), { statusCode: 422, message: /username/ }, username);
    await updateUser(callOf(admin, { userId: id, body: { username: 'JANE.doe-7' } }));
    await store.query.updateTable('users').set({ username: 'früher' }).where('id', '=', id).execute();
    await updateUser(callOf(admin, { userId: id, body: { username: 'früher', name: 'kept' } }));
  });
});
