import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser, NOW, PASSWORD } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { LastUses } from './last-uses.ts';
import { ownPasswordOf } from './passwords.ts';
import { personalTokenOperations } from './personal-tokens.ts';
import { agentLabel, sessionListOperations } from './session-list.ts';
import { sessionOperations } from './sessions.ts';
import { authenticator, type SessionLife } from './tokens.ts';

const nobody = { userId: 0, admin: false, tokenId: 0 };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const EMAIL = 'a@example.com';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

test('a program is named as people know it', () => {
  assert.equal(agentLabel(FIREFOX), 'Firefox on Linux');
  const onPhone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
  assert.equal(agentLabel(onPhone), 'Safari on iPhone');
  assert.equal(
    agentLabel('Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0'),
    'Edge on Windows',
  );
  assert.equal(agentLabel('curl/8.14.1'), 'curl');
  assert.equal(agentLabel(undefined), null);
  assert.equal(agentLabel('<script>'), null);
});

onEitherEngine<Tables>('sessions', { migrations: MIGRATIONS }, (open) => {
  async function setting(life?: SessionLife) {
    const store: Store = await open();
    const user = await makeUser(store, EMAIL);
    const uses = new LastUses();
    const sessions = sessionOperations(store, life);
    const signIn = async (now = NOW, more: object = {}) => {
      const body = { email: EMAIL, password: PASSWORD };
      return (await sessions.login(callOf(nobody, { body, now, ...more }))) as { id: string };
    };
    const authenticate = authenticator(store, { uses, ...(life && { life }) });
    const lists = sessionListOperations(store, uses);
    const tokens = personalTokenOperations(store, { ownPassword: ownPasswordOf(store), uses });
    return { store, user, uses, sessions, signIn, authenticate, lists, tokens };
  }

  test('sessions are listed with their program and their last use, which one statement keeps', async () => {
    const { store, uses, signIn, authenticate, lists } = await setting();
    const { id: token } = await signIn(NOW, { agent: FIREFOX, address: '192.0.2.7' });
    const { id: other } = await signIn(NOW + 1000);
    const caller = await authenticate(token, NOW + MINUTE_MS, '198.51.100.2');
    await authenticate(other, NOW + 2 * MINUTE_MS, '198.51.100.3');
    const list = () => lists.listSessions(callOf(caller, { now: NOW + 5 * MINUTE_MS }));
    const seen = await list();
    assert.ok(Array.isArray(seen));
    assert.deepEqual(
      seen.map(({ agent, current, lastUsed, lastAddress }) => ({ agent, current, lastUsed, lastAddress })),
      [
        { agent: null, current: false, lastUsed: '2026-06-01T12:02:00.000Z', lastAddress: '198.51.100.3' },
        { agent: 'Firefox on Linux', current: true, lastUsed: '2026-06-01T12:01:00.000Z', lastAddress: '198.51.100.2' },
      ],
    );
    const before = store.changes();
    await authenticate(token, NOW + MINUTE_MS, '198.51.100.2');
    assert.equal(store.changes(), before, 'a request writes nothing');
    await uses.write(store);
    assert.deepEqual(await list(), seen);
    assert.equal(uses.of(caller.tokenId), undefined);
  });

  test('a session ends singly or with all others, at once, and by an admin too', async () => {
    const { store, user, signIn, authenticate, lists, tokens } = await setting();
    const [mine, second, third] = [await signIn(), await signIn(), await signIn()];
    const caller = await authenticate(mine.id, NOW);
    const ended = await authenticate(second.id, NOW);
    await lists.endSession(callOf(caller, { key: ended.tokenId }));
    await assert.rejects(authenticate(second.id, NOW), { statusCode: 401 });
    await assert.rejects(lists.endSession(callOf(caller, { key: ended.tokenId })), { statusCode: 404 });
    const personal = (await tokens.createPersonalAccessToken(callOf(caller, { body: { ttl: 60 } }))) as {
      token: string;
    };
    assert.deepEqual(await lists.endSessions(callOf(caller, { parameters: { kind: 'session' } })), { count: 1 });
    await assert.rejects(authenticate(third.id, NOW), { statusCode: 401 });
    assert.ok(await authenticate(personal.token, NOW));
    assert.deepEqual(await lists.endSessions(callOf(caller)), { count: 1 });
    await assert.rejects(authenticate(personal.token, NOW), { statusCode: 401 });
    assert.ok(await authenticate(mine.id, NOW));
    const admin = await makeUser(store, 'admin@example.com', true);
    assert.deepEqual(await lists.endSessions(callOf(admin, { userId: user.userId })), { count: 1 });
    await assert.rejects(authenticate(mine.id, NOW), { statusCode: 401 });
  });

  test('nobody ends the session of another user', async () => {
    const { store, signIn, authenticate, lists } = await setting();
    const { id } = await signIn();
    const { tokenId } = await authenticate(id, NOW);
    const other = await makeUser(store, 'b@example.com');
    await assert.rejects(lists.endSession(callOf(other, { key: tokenId })), { statusCode: 404 });
    assert.ok(await authenticate(id, NOW));
  });

  test('a session that is not used ends, and one that is used goes on', async () => {
    const life = { idleMs: 3 * DAY_MS, mostMs: 365 * DAY_MS, tokenIdleMs: DAY_MS };
    const { store, uses, signIn, authenticate, tokens } = await setting(life);
    const { id: used } = await signIn();
    const { id: idle } = await signIn();
    const caller = await authenticate(used, NOW + 2 * DAY_MS, '127.0.0.1');
    assert.ok(await authenticate(used, NOW + 4 * DAY_MS, '127.0.0.1'), 'the last use is known before it is written');
    await uses.write(store);
    assert.ok(await authenticate(used, NOW + 6 * DAY_MS));
    await assert.rejects(authenticate(used, NOW + 8 * DAY_MS), { code: 'INVALID_TOKEN' });
    await assert.rejects(authenticate(idle, NOW + 3 * DAY_MS), { code: 'INVALID_TOKEN' });
    const made = (await tokens.createPersonalAccessToken(callOf(caller, { body: { ttl: 31_536_000 } }))) as {
      token: string;
    };
    assert.ok(await authenticate(made.token, NOW + DAY_MS - 1));
    await assert.rejects(authenticate(made.token, NOW + DAY_MS), { code: 'INVALID_TOKEN' });
  });

  test('a refresh that is sent twice at once is answered twice with the same tokens, and later ends the session', async () => {
    const { store, sessions, authenticate } = await setting();
    const body = { username: EMAIL, password: PASSWORD, refreshable: 3600 };
    type Pair = { token: string; refreshToken: string; expiry: string };
    const refresh = async ({ token: accessToken, refreshToken }: Pair, now = NOW) =>
      (await sessions.refreshToken(
        callOf(nobody, { body: { accessToken, refreshToken, refreshable: 3600 }, now }),
      )) as Pair;
    const ended = async () =>
      (await store.query.selectFrom('auditEntries').select('action').execute()).filter(
        ({ action }) => action === 'session.reused',
      ).length;
    const first = (await sessions.loginV2(callOf(nobody, { body }))) as Pair;
    const [second, same] = await Promise.all([refresh(first), refresh(first)]);
    assert.deepEqual(same, second);
    assert.notEqual(second!.token, first.token);
    assert.notEqual(second!.refreshToken, second!.token);
    assert.deepEqual(await refresh(first, NOW + 20_000), second, 'whose answer was lost asks again');
    await authenticate(second!.token, NOW);
    await assert.rejects(authenticate(first.token, NOW), { statusCode: 401 });
    assert.equal(await ended(), 0);

    // With another token than the one it came with, it is no repeat.
    const stolen = { ...first, token: second!.token };
    await assert.rejects(refresh(stolen), { statusCode: 401 });
    assert.equal(await ended(), 1);

    const other = (await sessions.loginV2(callOf(nobody, { body }))) as Pair;
    const fresh = await refresh(other);
    await assert.rejects(refresh(other, NOW + 31_000), { statusCode: 401 });
    await assert.rejects(authenticate(fresh.token, NOW + 31_000), { statusCode: 401 });
    assert.equal(await ended(), 2);

    const third = (await sessions.loginV2(callOf(nobody, { body }))) as Pair;
    await refresh(await refresh(third));
    await assert.rejects(refresh(third), { statusCode: 401 });
    assert.equal(await ended(), 3, 'a token that was refreshed since is not reported again');
  });

  test('no session outlives its longest life, however often it is refreshed', async () => {
    const { sessions, authenticate } = await setting({ idleMs: 90 * DAY_MS, mostMs: 20 * DAY_MS, tokenIdleMs: 0 });
    const body = { username: EMAIL, password: PASSWORD, refreshable: 2_600_000 };
    type Pair = { token: string; refreshToken: string; expiry: string };
    const first = (await sessions.loginV2(callOf(nobody, { body }))) as Pair;
    const refresh = ({ token: accessToken, refreshToken }: Pair, now: number) =>
      sessions.refreshToken(callOf(nobody, { body: { accessToken, refreshToken, refreshable: 2_600_000 }, now }));
    const second = (await refresh(first, NOW + 15 * DAY_MS)) as Pair;
    assert.equal(second.expiry, new Date(NOW + 20 * DAY_MS).toISOString());
    assert.ok(await authenticate(second.token, NOW + 20 * DAY_MS - 1));
    await assert.rejects(authenticate(second.token, NOW + 20 * DAY_MS), { code: 'INVALID_TOKEN' });
    await assert.rejects(refresh(second, NOW + 20 * DAY_MS), { statusCode: 401 });
  });

  test('a token needs a sign-in of the last 15 minutes, or the password', async () => {
    const { signIn, authenticate, tokens } = await setting();
    const { id } = await signIn();
    const caller = await authenticate(id, NOW);
    const make = (now: number, body: object = {}) =>
      tokens.createPersonalAccessToken(callOf(caller, { body: { ttl: 60, ...body }, now }));
    assert.ok(await make(NOW + 15 * MINUTE_MS - 1));
    await assert.rejects(make(NOW + 15 * MINUTE_MS), { statusCode: 403, code: 'FRESH_SIGN_IN_REQUIRED' });
    await assert.rejects(make(NOW + 15 * MINUTE_MS, { password: '' }), { code: 'FRESH_SIGN_IN_REQUIRED' });
    await assert.rejects(make(NOW + 15 * MINUTE_MS, { password: 'wrong' }), { statusCode: 422 });
    assert.ok(await make(NOW + 15 * MINUTE_MS, { password: PASSWORD }));
  });

  test('a token that only reports does not expire unless it says so, is listed and can be revoked; no other lives so long', async () => {
    const { signIn, authenticate, tokens } = await setting();
    const { id } = await signIn();
    const caller = await authenticate(id, NOW);
    const make = (sent: { access?: string; ttl?: number }) =>
      tokens.createPersonalAccessToken(
        callOf(caller, { body: { ttl: 2_592_000, ...sent }, sent, now: NOW } as never),
      ) as Promise<{ id: number; token: string; ttl: number; expiresAt: string }>;
    const made = await make({ access: 'ingest' });
    assert.deepEqual([made.ttl, made.expiresAt], [0, '9999-12-31T23:59:59.000Z']);
    assert.equal((await authenticate(made.token, NOW + 4000 * DAY_MS)).scope?.access, 'ingest');
    const listed = (await tokens.listPersonalAccessTokens(callOf(caller, { parameters: {} }) as never)) as {
      tokens: { id: number; ttl: number }[];
    };
    assert.deepEqual(
      listed.tokens.map(({ id, ttl }) => [id, ttl]),
      [[made.id, 0]],
    );
    await tokens.deletePersonalAccessToken(callOf(caller, { key: made.id, now: NOW }));
    await assert.rejects(authenticate(made.token, NOW), { statusCode: 401 });
    const short = await make({ access: 'ingest', ttl: 60 });
    await assert.rejects(authenticate(short.token, NOW + 60_000), { code: 'INVALID_TOKEN' });
    for (const access of ['full', 'read']) await assert.rejects(make({ access, ttl: 0 }), { statusCode: 422 });
    await assert.rejects(make({ ttl: 0 }), { statusCode: 422 });
    assert.equal((await make({ access: 'read' })).ttl, 2_592_000);
  });
});
