import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKeyed } from '../../platform/keyed-request.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser, NOW, PASSWORD } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { accountOperations } from './accounts.ts';
import { recordingKeys } from './kept-answers.ts';
import { attemptSignIn, forgetPasswordFailures } from './password-guard.ts';
import { sessionOperations } from './sessions.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const nobody = { userId: 0, admin: false, tokenId: 0 };

onEitherEngine<Tables>('the guard of passwords', { migrations: MIGRATIONS }, (open) => {
  const wrong = (store: Store, userId: number, address: string, now = NOW) =>
    attemptSignIn(store, { userId, name: '', address, now }, async () => false);
  const right = (store: Store, userId: number, address: string, now = NOW) =>
    attemptSignIn(store, { userId, name: '', address, now }, async () => true);
  const refused = { statusCode: 429, code: 'TOO_MANY_FAILURES' };
  const failures = async (store: Store) =>
    (await store.query.selectFrom('passwordFailures').selectAll().execute()).length;

  test('who signed in from an address before is not kept out by the failures of others there', async () => {
    const store: Store = await open();
    const ids = [];
    for (const name of ['known', 'stranger', 'old', 'a', 'b', 'c'])
      ids.push((await makeUser(store, `${name}@example.com`)).userId);
    const [known, stranger, old, ...others] = ids as [number, number, number, ...number[]];
    const address = '192.0.2.1';
    assert.ok(await right(store, old, address, NOW - 31 * 86_400_000));
    assert.ok(await right(store, known, address, NOW - 29 * 86_400_000));
    for (const userId of others) for (let n = 0; n < 10; n++) await wrong(store, userId, address);
    for (const userId of [stranger, old]) await assert.rejects(right(store, userId, address), refused);
    assert.ok(await right(store, known, address));
    for (let n = 0; n < 10; n++) assert.equal(await wrong(store, known, address), false);
    await assert.rejects(right(store, known, address), refused, 'it has a limit of its own');
  });

  test('ten wrong ones of an account from an address, by whatever operation, and no eleventh', async () => {
    const store: Store = await open();
    const me = await makeUser(store, 'a@example.com');
    const { login, loginV2 } = sessionOperations(store);
    const { updateUser, changePassword } = accountOperations(store);
    const signIn = (password: string, now = NOW) =>
      login(callOf(nobody, { body: { email: 'A@example.com', password }, now }));
    const ways = [
      () => signIn('wrong'),
      () => loginV2(callOf(nobody, { body: { username: 'a@example.com', password: 'wrong' } })),
      () => changePassword(callOf(me, { body: { oldPassword: 'wrong', newPassword: 'another long one' } })),
      () => updateUser(callOf(me, { body: { email: 'b@example.com', currentPassword: 'wrong' } })),
      () => updateUser(callOf(me, { body: { password: 'another long one', currentPassword: 'wrong' } })),
    ];
    for (let n = 0; n < 10; n++) {
      const error = (await ways[n % ways.length]!().catch((caught: unknown) => caught)) as { statusCode: number };
      assert.ok([401, 422].includes(error.statusCode), `try ${n}: ${error.statusCode}`);
    }
    for (const way of ways) await assert.rejects(way(), refused);
    await assert.rejects(signIn(PASSWORD), refused, 'not even the right one');
    assert.equal(await failures(store), 10, 'what is refused is not counted');
    assert.ok(await signIn(PASSWORD, NOW + 15 * MINUTE_MS));
  });

  test('the right password forgets the wrong ones before it', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 9; n++) assert.equal(await wrong(store, userId, '192.0.2.1'), false);
      assert.equal(await right(store, userId, '192.0.2.1'), true);
    }
  });

  test('many at once are no more than one after another', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    let verified = 0;
    const attempt = () =>
      attemptSignIn(store, { userId, name: '', address: '192.0.2.1', now: NOW }, async () => {
        verified += 1;
        return false;
      });
    const ends = await Promise.allSettled(Array.from({ length: 40 }, attempt));
    assert.equal(verified, 10);
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 10);
  });

  test('thirty wrong ones of an address over all accounts; a /64 network is one address', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    for (let n = 0; n < 30; n++)
      await attemptSignIn(
        store,
        { userId: undefined, name: `nobody ${n}`, address: `2001:db8:1:2::${n.toString(16)}`, now: NOW },
        async () => false,
      );
    await assert.rejects(right(store, userId, '2001:db8:1:2:ffff::1'), refused);
    assert.equal(await right(store, userId, '2001:db8:1:3::1'), true);
    assert.equal(await right(store, userId, '2001:db8:1:2::1', NOW + 15 * MINUTE_MS), true);
  });

  test('after a hundred of an account in an hour, only addresses known to it may try', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'admin@example.com', true);
    await right(store, userId, '198.51.100.1', NOW - 29 * DAY_MS);
    await right(store, userId, '198.51.100.2', NOW - 31 * DAY_MS);
    for (let n = 0; n < 100; n++) assert.equal(await wrong(store, userId, `203.0.113.${n}`, NOW + n), false);
    await assert.rejects(wrong(store, userId, '203.0.113.200', NOW + 200), refused);
    await assert.rejects(right(store, userId, '198.51.100.2', NOW + 200), refused, 'too long ago');
    assert.equal(await right(store, userId, '198.51.100.1', NOW + 200), true);
    assert.equal(await right(store, userId, '203.0.113.200', NOW + 60 * MINUTE_MS + 200), true);
    const unknown = (address: string) =>
      attemptSignIn(store, { userId: undefined, name: 'x', address, now: NOW }, async () => false);
    for (let n = 0; n < 100; n++) await unknown(`192.0.2.${n}`);
    await assert.rejects(unknown('192.0.2.200'), refused, 'a name that nobody has is treated alike');
  });

  test('it holds over a restart, and for all processes', async () => {
    const place = await open.emptyPlace();
    const store: Store = await open.at(place);
    const { userId } = await makeUser(store, 'a@example.com');
    for (let n = 0; n < 10; n++) await wrong(store, userId, '192.0.2.1');
    await store.close();
    const again: Store = await open.at(place);
    await assert.rejects(right(again, userId, '192.0.2.1'), refused);
  });

  if (open.storeKind === 'postgres')
    test('many at once at several nodes are no more than ten', async () => {
      const place = await open.migratedPlace(MIGRATIONS);
      const stores: Store[] = [await open.at(place), await open.at(place), await open.at(place)];
      const { userId } = await makeUser(stores[0]!, 'a@example.com');
      let verified = 0;
      const guess = (store: Store) =>
        attemptSignIn(store, { userId, name: '', address: '192.0.2.1', now: NOW }, async () => {
          verified += 1;
          return false;
        });
      const tried = await Promise.allSettled(stores.flatMap((store) => Array.from({ length: 12 }, () => guess(store))));
      assert.equal(verified, 10);
      assert.equal(tried.filter(({ status }) => status === 'rejected').length, 26);
    });

  test('an ordinary sign-in writes nothing of its own, and old failures go', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    await right(store, userId, '192.0.2.1');
    const before = store.changes();
    await right(store, userId, '192.0.2.1', NOW + MINUTE_MS);
    assert.equal(store.changes(), before);
    await wrong(store, userId, '192.0.2.1');
    await wrong(store, userId, '192.0.2.1', NOW + 61 * MINUTE_MS);
    assert.equal(await failures(store), 1, 'a new one removes old ones');
    await forgetPasswordFailures(store, NOW + 200 * MINUTE_MS);
    assert.equal(await failures(store), 0);
    for (let n = 0; n < 25; n++) await right(store, userId, `192.0.2.${n + 10}`, NOW + n);
    const known = await store.query.selectFrom('signInAddresses').selectAll().execute();
    assert.equal(known.length, 20);
  });

  test('the key of a repeat is not recorded before its effect, though the guard notes where the user signs in', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'keyed@example.com');
    const request = { userId, request: 'r', body: 'b', now: NOW, isRecorded: false };
    const handlers = recordingKeys(store);
    await runKeyed(request, async () => {
      assert.ok(await attemptSignIn(handlers, { userId, name: '', address: '192.0.2.1', now: NOW }, async () => true));
    });
    assert.equal(request.isRecorded, false);
    assert.equal((await store.query.selectFrom('signInAddresses').selectAll().execute()).length, 1);
    assert.deepEqual(await store.query.selectFrom('idempotencyKeys').selectAll().execute(), []);
  });
});
