import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import type { Answer } from './harness/answer.ts';
import { onEitherEngine } from './harness/engines.ts';
import { logIn, makePerson, PASSWORD } from './harness/people.ts';
import { makeStation, type Station, type Voice, voiceOf } from './harness/station.ts';

const TWO_WEEKS_S = 1_209_600;
const YEAR_S = 31_536_000;
/** 256 bits in letters and digits are 43 characters. */
const TOKEN = /^[A-Za-z0-9]{43,}$/;

/** Section 2 of the contract. */
onEitherEngine(
  'tokens',
  (running) => {
    let station: Station;
    before(async () => {
      station = await makeStation(running.api);
    });
    const newcomer = async (more: object = {}): Promise<Voice> =>
      voiceOf(running.api, await makePerson(running.api, station.admin, 'user', more));
    const login = (body: object, version = 'api', headers = {}) =>
      running.api('POST', `/${version}/users/login`, { body, headers });
    const me = (token: string, version = 'api') => running.api('GET', `/${version}/users/me`, { token });
    const near = (time: string, seconds: number) =>
      assert.ok(Math.abs(Date.parse(time) - Date.now() - seconds * 1000) < 600_000, `${time} is not in ${seconds} s`);

    test('version 1 answers {id, ttl, created, userId}', async () => {
      const { owner } = station;
      const { status, body } = await login({ email: owner.email, password: PASSWORD });
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body).sort(), ['created', 'id', 'ttl', 'userId']);
      assert.match(body.id, TOKEN);
      assert.equal(body.ttl, TWO_WEEKS_S);
      assert.equal(body.userId, owner.id);
      near(body.created, 0);
    });

    test('ttl may shorten the life of a token and not lengthen it', async () => {
      const credentials = { email: station.owner.email, password: PASSWORD };
      assert.equal((await login({ ...credentials, ttl: 60 })).body.ttl, 60);
      assert.equal((await login({ ...credentials, ttl: '60' })).body.ttl, 60);
      assert.equal((await login({ ...credentials, ttl: TWO_WEEKS_S * 2 })).body.ttl, TWO_WEEKS_S);
      for (const ttl of [0, -1, 'x', 1.5, {}]) assert.equal((await login({ ...credentials, ttl })).status, 422);
    });

    test('version 2 answers {token, expiry, userId}, with a refresh token where it was asked for', async () => {
      const { owner } = station;
      const plain = (await login({ username: owner.email, password: PASSWORD }, 'v2')).body;
      assert.deepEqual(Object.keys(plain).sort(), ['expiry', 'token', 'userId']);
      assert.match(plain.token, TOKEN);
      near(plain.expiry, TWO_WEEKS_S);
      const more = (await login({ username: owner.email, password: PASSWORD, refreshable: 3600 }, 'v2')).body;
      assert.match(more.refreshToken, TOKEN);
      assert.notEqual(more.refreshToken, more.token);
      near(more.refreshTokenExpiry, TWO_WEEKS_S + 3600);
      const longest = await login({ username: owner.email, password: PASSWORD, refreshable: 2_678_400 }, 'v2');
      assert.equal(longest.status, 200);
      const tooLong = await login({ username: owner.email, password: PASSWORD, refreshable: 2_678_401 }, 'v2');
      assert.equal(tooLong.status, 400);
    });

    test('a user is known by username, by e-mail address, and by that as username', async () => {
      const name = `Name-${Date.now()}`;
      const { email, id } = await newcomer({ username: name });
      for (const version of ['api', 'v2']) {
        for (const who of [{ username: name }, { username: email }, { email }, { email: email.toUpperCase() }])
          assert.equal((await login({ ...who, password: PASSWORD }, version)).body.userId, id, JSON.stringify(who));
      }
    });

    test('a token of either version works on both, in every header form', async () => {
      const { owner } = station;
      const one = await logIn(running.api, owner.email);
      const two = (await login({ username: owner.email, password: PASSWORD }, 'v2')).body.token;
      for (const token of [one, two]) {
        for (const headers of [
          { authorization: token },
          { authorization: `Bearer ${token}` },
          { authorization: `bearer ${token}` },
          { 'x-access-token': token },
        ]) {
          for (const version of ['api', 'v2'])
            assert.equal((await running.api('GET', `/${version}/users/me`, { headers })).body.id, owner.id);
        }
      }
    });

    test('?access_token= works for reads only, and reaches no log', async () => {
      const { owner, device } = station;
      const at = (path: string) => `/api${path}?access_token=${owner.token}`;
      assert.equal((await running.api('GET', at(`/devices/${device}`))).status, 200);
      assert.equal((await running.api('GET', at(`/devices/${device}/gatewayReadings`))).status, 200);
      const config = (await owner.get(`/devices/${device}/config`)).text;
      assert.equal((await running.api('PUT', at(`/devices/${device}/config`), { body: { interval: 9 } })).status, 401);
      assert.equal((await running.api('POST', at('/devices'), { body: {} })).status, 401);
      assert.equal((await running.api('DELETE', at(`/devices/${device}`))).status, 401);
      assert.equal((await running.api('POST', at('/users/logout'))).status, 401);
      assert.equal((await running.api('GET', at(`/devices/${device}/setupSqsForwarding`))).status, 401);
      assert.equal((await owner.get(`/devices/${device}/config`)).text, config);
      assert.ok(!running.server.output().includes(owner.token));
    });

    test('no token, an unknown one, and headers that hold none are 401 AUTHORIZATION_REQUIRED', async () => {
      const { owner } = station;
      for (const headers of [
        {},
        { authorization: '' },
        { authorization: 'Bearer' },
        { authorization: 'Bearer ' },
        { authorization: 'undefined' },
        { authorization: 'Basic YTpi' },
        { authorization: `${owner.token}x` },
        { authorization: owner.token.slice(1) },
        { authorization: `Basic ${owner.token}` },
        { authorization: owner.token.toLowerCase() },
        { authorization: "' OR 1=1 --" },
        { authorization: 'x'.repeat(5000) },
        { authorization: '__proto__' },
      ]) {
        const answer = await running.api('GET', '/api/users/me', { headers });
        assert.equal(answer.status, 401, JSON.stringify(headers));
        assert.equal(answer.body.error.code, 'AUTHORIZATION_REQUIRED');
      }
      assert.deepEqual((await running.api('GET', '/v2/users/me')).body, {
        code: 401,
        message: 'Authorization Required',
      });
    });

    test('whatever stands in the Authorization header of a log-in is ignored', async () => {
      const { owner } = station;
      for (const authorization of ['undefined', 'null', 'Bearer undefined', 'nonsense', 'x'.repeat(5000)]) {
        for (const version of ['api', 'v2']) {
          const answer = await login({ username: owner.email, password: PASSWORD }, version, { authorization });
          assert.equal(answer.status, 200, authorization.slice(0, 20));
        }
      }
    });

    test('log-out ends a token at once, on both versions, and no other', async () => {
      const { owner } = station;
      for (const version of ['api', 'v2']) {
        const ended = await logIn(running.api, owner.email);
        const kept = await logIn(running.api, owner.email);
        assert.equal((await me(ended)).status, 200);
        const answer = await running.api('POST', `/${version}/users/logout`, { token: ended });
        if (version === 'api') assert.equal(answer.status, 204);
        else assert.deepEqual(answer.body, {});
        for (const where of ['api', 'v2']) assert.equal((await me(ended, where)).status, 401);
        assert.equal((await running.api('POST', `/${version}/users/logout`, { token: ended })).status, 401);
        assert.equal((await me(kept)).status, 200);
      }
    });

    const refresh = (pair: { token: string; refreshToken: string }, more: object = {}) =>
      running.api('POST', '/v2/users/refreshToken', {
        body: { accessToken: pair.token, refreshToken: pair.refreshToken, refreshable: 0, ...more },
      });
    const refreshable = async (who: Voice) =>
      (await login({ username: who.email, password: PASSWORD, refreshable: 3600 }, 'v2')).body;

    test('a refresh token works once, and its access token ends with it', async () => {
      const user = await newcomer();
      const first = await refreshable(user);
      const second = (await refresh(first, { refreshable: 60 })).body;
      assert.equal(second.userId, user.id);
      assert.notEqual(second.token, first.token);
      assert.equal((await me(second.token)).status, 200);
      assert.equal((await me(first.token)).status, 401);
      assert.equal((await refresh(second)).status, 200);
      const third = (await refresh(await refreshable(user))).body;
      assert.equal(third.refreshToken, undefined, 'not refreshable again unless asked');
    });

    test('a refresh token that comes again ends the session with all its tokens', async () => {
      const user = await newcomer();
      const first = await refreshable(user);
      const second = (await refresh(first, { refreshable: 60 })).body;
      const third = (await refresh(second, { refreshable: 60 })).body;
      assert.equal((await me(third.token)).status, 200);
      assert.equal((await refresh(first)).status, 401);
      assert.equal((await me(third.token)).status, 401);
      assert.equal((await refresh(third)).status, 401);
      assert.equal((await me(user.token)).status, 200, 'other sessions of the user go on');
    });

    test('a refresh token used by several at once gives all of them the same tokens', async () => {
      const pair = await refreshable(await newcomer());
      const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(pair)));
      for (const { status, body } of answers) {
        assert.equal(status, 200);
        assert.equal(body.token, answers[0]!.body.token);
      }
      assert.equal((await me(answers[0]!.body.token)).status, 200);
    });

    test('a refresh token belongs to its access token, and ends with its log-out', async () => {
      const user = await newcomer();
      const one = await refreshable(user);
      const two = await refreshable(user);
      assert.equal((await refresh({ token: one.token, refreshToken: two.refreshToken })).status, 401);
      assert.equal((await refresh({ token: one.token, refreshToken: 'x' })).status, 401);
      for (const missing of ['accessToken', 'refreshToken', 'refreshable'])
        assert.equal((await refresh(one, { [missing]: null })).status, 400);
      assert.equal((await refresh(one, { refreshable: 2_678_401 })).status, 400);
      await running.api('POST', '/v2/users/logout', { token: two.token });
      assert.equal((await refresh(two)).status, 401);
      assert.equal((await refresh(one)).status, 200, 'failed attempts did not use it up');
    });

    test('a personal token is shown once, lives a month by default and a year at most', async () => {
      const user = await newcomer();
      const ask = (method: string, path = '', body?: object) =>
        running.api(method, `/v2/users/personalAccessTokens${path}`, { token: user.token, body });
      const { body } = await ask('POST', '', { description: 'for the roof' });
      assert.match(body.token, TOKEN);
      near(body.expiresAt, 30 * 86_400);
      const list = await ask('GET');
      assert.equal(list.body.total, 1);
      assert.equal(list.body.tokens[0].description, 'for the roof');
      assert.ok(!list.text.includes(body.token));
      for (const version of ['api', 'v2']) assert.equal((await me(body.token, version)).body.id, user.id);
      near((await ask('POST', '', { description: 'x', ttl: YEAR_S })).body.expiresAt, YEAR_S);
      for (const ttl of [YEAR_S + 1, 0, -5, 'x']) {
        const wrong = await ask('POST', '', { description: 'x', ttl });
        assert.equal(wrong.status, 400);
        assert.match(wrong.body.message, /`ttl`/);
      }
      for (const description of [undefined, null, '', ' '])
        assert.equal((await ask('POST', '', { description })).status, 400);
      assert.deepEqual((await ask('DELETE', `/${body.id}`)).body, {});
      assert.equal((await me(body.token)).status, 401);
      assert.equal((await ask('DELETE', `/${body.id}`)).status, 404);
      assert.equal((await ask('GET', '?limit=1&page=0')).body.tokens.length, 1);
      for (const wrong of ['limit=0', '_limit=0', '_limit=-1', '_limit=x', '_page=-1'])
        assert.equal((await ask('GET', `?${wrong}`)).status, 400, wrong);
      for (const description of ['b', 'c']) await ask('POST', '', { description });
      const pageOf = async (query: string) => {
        const { tokens, limit, page, total } = (await ask('GET', query)).body;
        return [tokens.map((one: { description: string }) => one.description).join(' '), limit, page, total];
      };
      assert.deepEqual(await pageOf(''), ['x b c', 10, 1, 3]);
      assert.deepEqual(await pageOf('?_limit=2'), ['x b', 2, 1, 3]);
      assert.deepEqual(await pageOf('?_limit=2&_page=0'), ['x b', 2, 0, 3]);
      assert.deepEqual(await pageOf('?_limit=2&_page=2'), ['c', 2, 2, 3]);
      assert.deepEqual(await pageOf('?_limit=2&_page=9'), ['', 2, 9, 3]);
      assert.deepEqual(await pageOf('?_limit=500'), ['x b c', 100, 1, 3]);
      assert.deepEqual(await pageOf('?limit=2&page=1'), ['c', 2, 1, 3]);
      const headers = { 'x-query': '{"_limit": 1, "_page": 2}' };
      const given = await running.api('GET', '/v2/users/personalAccessTokens?_limit=3', { token: user.token, headers });
      assert.deepEqual([given.body.limit, given.body.page, given.body.tokens[0].description], [1, 2, 'b']);
      assert.equal(given.headers['x-total-count'], '3');
      assert.match(String(given.headers.link), /_page=3>; rel="next"/);
      for (const wrong of ['[]', '{', `{"a":"${'x'.repeat(17_000)}"}`, '{"_limit": {}}']) {
        const ask = { token: user.token, headers: { 'x-query': wrong } };
        assert.equal((await running.api('GET', '/v2/users/personalAccessTokens', ask)).status, 400);
      }
    });

    test('a new password ends every other session', async () => {
      const user = await newcomer();
      const other = await logIn(running.api, user.email);
      const change = (body: object) => user.post('/users/change-password', body);
      assert.equal((await change({ oldPassword: 'wrong', newPassword: 'another password' })).status, 422);
      assert.equal((await change({ oldPassword: PASSWORD, newPassword: 'short' })).status, 422);
      assert.equal((await me(other)).status, 200);
      assert.equal((await change({ oldPassword: PASSWORD, newPassword: 'another password' })).status, 204);
      assert.equal((await me(other)).status, 401);
      assert.equal((await me(user.token)).status, 200);
      assert.equal((await login({ email: user.email, password: PASSWORD })).status, 401);
      assert.equal((await login({ email: user.email, password: 'another password' })).status, 200);
    });

    test('the tokens of a user who was deleted are dead', async () => {
      const user = await newcomer();
      assert.equal((await station.admin.delete(`/users/${user.id}`)).status, 204);
      assert.equal((await me(user.token)).status, 401);
      assert.equal((await login({ email: user.email, password: PASSWORD })).status, 401);
    });

    test('nobody makes themselves an admin', async () => {
      const user = await newcomer();
      assert.equal((await user.put('/users/me', { admin: true })).status, 403);
      assert.equal((await me(user.token)).body.admin, false);
      assert.equal((await user.get('/users')).status, 403);
    });

    test('after ten failures an account is closed to that address for a while, with the right password too', async () => {
      const user = await newcomer();
      const spared = await newcomer();
      let answer: Answer | undefined;
      for (let failure = 1; failure <= 10; failure += 1) {
        answer = await login({ [failure % 2 ? 'email' : 'username']: user.email, password: `guess ${failure}` });
        assert.equal(answer.status, 401, `failure ${failure}`);
      }
      for (const version of ['api', 'v2']) {
        const refused = await login({ username: user.email.toUpperCase(), password: PASSWORD }, version);
        assert.equal(refused.status, 429);
        const seconds = Number(refused.headers['retry-after']);
        assert.ok(seconds > 0 && seconds <= 900, String(seconds));
      }
      assert.equal((await login({ email: spared.email, password: PASSWORD })).status, 200);
      assert.equal((await me(user.token)).status, 200, 'who is signed in stays so');
    });

    test('a success forgives the failures before it', async () => {
      const user = await newcomer();
      for (let round = 0; round < 3; round += 1) {
        for (let failure = 0; failure < 9; failure += 1)
          assert.equal((await login({ email: user.email, password: 'wrong' })).status, 401);
        assert.equal((await login({ email: user.email, password: PASSWORD })).status, 200);
      }
    });

    test('nothing that is secret ever reached the output of the server', async () => {
      const output = running.server.output();
      for (const secret of [PASSWORD, station.owner.token, station.admin.token]) assert.ok(!output.includes(secret));
    });
  },
  { TRACKWAY_LOG_LEVEL: 'debug' },
);
