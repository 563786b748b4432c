import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser, NOW } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { TokenRow } from '../schema/rows/account-rows.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { sessionListOperations } from '../users/session-list.ts';
import { sessionOperations } from '../users/sessions.ts';
import { endTokensOf, issueToken } from '../users/tokens.ts';
import { brokerGate, mqttCredentials } from './listener-credentials.ts';
import { listenerOf, livingListeners } from './listeners.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

onEitherEngine<Tables>('credentials for MQTT', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const user = await makeUser(store, 'a@example.com');
    const life = { idleMs: 3 * DAY_MS, mostMs: 365 * DAY_MS, tokenIdleMs: 0 };
    const gate = brokerGate(store, '', { life });
    const operations = mqttCredentials(store, () => ({ missing: null, url: 'mqtt://broker' }));
    const lists = sessionListOperations(store);
    const signIn = async (kind: TokenRow['kind'], ttl: number, refreshable?: number, by = user): Promise<Caller> => {
      const wanted = { userId: by.userId, kind, ttl, ...(refreshable && { refreshable }) };
      return { ...by, tokenId: (await issueToken(store.query, wanted, NOW)).id };
    };
    const credentialsOf = async (caller: Caller, userId = caller.userId) =>
      (await operations.getMqttCredentials(callOf(caller, { userId }))) as {
        username: string;
        password: string;
        clientId: string;
      };
    type Credentials = Awaited<ReturnType<typeof credentialsOf>>;
    /** What works at a time: connecting, subscribing, and being sent something. */
    const works = async ({ username, password, clientId }: Credentials, now: number) => {
      const userId = Number(username.slice('user-'.length));
      const use = { username, clientId, topic: `users/${userId}/#`, isSubscribing: true };
      const living = await livingListeners(store.query, [listenerOf(userId, 1)], now);
      return [
        await gate.mayConnect({ username, password, clientId }, now),
        await gate.mayUse(use, now),
        living.has(userId),
      ];
    };
    return { store, user, lists, signIn, credentialsOf, works };
  }
  const ALL = [true, true, true];
  const NONE = [false, false, false];

  test('end when the token expires that they were made with', async () => {
    const { lists, signIn, credentialsOf, works } = await setting();
    const caller = await signIn('personal', 3600);
    const made = await credentialsOf(caller);
    assert.deepEqual(await works(made, NOW + HOUR_MS - 1), ALL);
    assert.deepEqual(await works(made, NOW + HOUR_MS), NONE);
    const list = async (now: number) => (await lists.listSessions(callOf(caller, { now }))) as { kind: string }[];
    const [first] = await list(NOW);
    const { kind, description, expiresAt } = first as { kind: string; description?: string; expiresAt?: string };
    assert.deepEqual([kind, description], ['mqtt', made.clientId]);
    assert.equal(expiresAt, new Date(NOW + HOUR_MS).toISOString());
    assert.equal((await list(NOW + HOUR_MS)).length, 0);
  });

  test('follow a session that is refreshed, up to 90 days, and end with one that is not used', async () => {
    const { store, signIn, credentialsOf, works } = await setting();
    const caller = await signIn('login', 3600, 100 * 86_400);
    const made = await credentialsOf(caller);
    assert.deepEqual(await works(made, NOW + 2 * DAY_MS), ALL);
    assert.deepEqual((await works(made, NOW + 4 * DAY_MS)).slice(0, 2), [false, false]);
    await store.query
      .updateTable('tokens')
      .set({ lastUsed: NOW + 89 * DAY_MS })
      .where('id', '=', caller.tokenId)
      .execute();
    assert.deepEqual(await works(made, NOW + 90 * DAY_MS - 1), ALL);
    assert.deepEqual(await works(made, NOW + 90 * DAY_MS), NONE);
  });

  test('end when the token is revoked, one by one, by signing out everywhere and with a new password', async () => {
    const { store, user, lists, signIn, credentialsOf, works } = await setting();
    const [mine, other] = [await signIn('login', 3600), await signIn('personal', 3600)];
    const ofToken = await credentialsOf(other);
    await lists.endSession(callOf(mine, { key: other.tokenId }));
    assert.deepEqual(await works(ofToken, NOW), NONE);

    const leaving = await signIn('login', 3600);
    const ofSession = await credentialsOf(leaving);
    await sessionOperations(store).logout(callOf(leaving));
    assert.deepEqual(await works(ofSession, NOW), NONE);

    const [first, second] = [await credentialsOf(mine), await credentialsOf(mine)];
    const listed = (await lists.listSessions(callOf(mine))) as { id: number; description: string | null }[];
    const { id } = listed.find(({ description }) => description === first.clientId)!;
    await lists.endSession(callOf(mine, { key: id }));
    assert.deepEqual(await works(first, NOW), [false, false, true], 'only what is sent goes on, to the other');
    assert.deepEqual(await works(second, NOW), ALL);

    assert.deepEqual(await lists.endSessions(callOf(mine, { parameters: { kind: 'mqtt' } })), { count: 1 });
    assert.deepEqual(await works(second, NOW), NONE);
    const last = [await credentialsOf(mine), await credentialsOf(await signIn('personal', 3600))];
    assert.deepEqual(await lists.endSessions(callOf(mine)), { count: 3 });
    for (const one of last) assert.deepEqual(await works(one, NOW), NONE);

    const before = await credentialsOf(mine);
    await endTokensOf(store.query, user.userId, mine.tokenId);
    assert.deepEqual(await works(before, NOW), NONE);
  });

  test('that an admin made for another user end when the admin is none any more', async () => {
    const { store, user, signIn, credentialsOf, works } = await setting();
    const admin = await makeUser(store, 'admin@example.com', true);
    const made = await credentialsOf(await signIn('personal', 3600, undefined, admin), user.userId);
    assert.deepEqual(await works(made, NOW), ALL);
    await store.query.updateTable('users').set({ admin: 0 }).where('id', '=', admin.userId).execute();
    assert.deepEqual(await works(made, NOW), NONE);
  });
});
