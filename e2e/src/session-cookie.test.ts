import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { before } from 'node:test';
import { eventually } from '../../server/src/testing/eventually.ts';
import { askSession } from './harness/browser-session.ts';
import { onEitherEngine, onOneEngine } from './harness/engines.ts';
import { makePerson, PASSWORD } from './harness/people.ts';
import { ADMIN, startServer } from './harness/server-process.ts';
import { makeStation, type Station } from './harness/station.ts';

onOneEngine(
  'a server with an https address behind a proxy that says nothing of it',
  (running) => {
    test('sets secure cookies', async () => {
      const signedIn = await askSession(running.server.address, '/session', {
        username: ADMIN.email,
        password: ADMIN.password,
      });
      assert.equal(signedIn.status, 200);
      assert.match(signedIn.setCookie!, /; Secure$/);
    });
  },
  { TRACKWAY_PUBLIC_URL: 'https://trackway.example.com' },
);

onEitherEngine('the session of a browser', (running) => {
  let station: Station;
  before(async () => {
    station = await makeStation(running.api);
  });
  const ask = (path: string, body?: unknown, headers?: Record<string, string>) =>
    askSession(running.server.address, path, body, headers);
  const signIn = (more: object = {}, headers?: Record<string, string>) =>
    ask('/session', { username: station.owner.email, password: PASSWORD, ...more }, headers);
  const statusOf = async (token: string) => (await running.api('GET', '/api/users/me', { token })).status;

  test('the cookie is for one path, for no script and for no other site', async () => {
    const { status, setCookie, body } = await signIn();
    assert.equal(status, 200);
    assert.match(setCookie!, /^trackway_session=[A-Za-z0-9]{64}; Path=\/session; HttpOnly; SameSite=Strict$/);
    assert.equal(body.userId, station.owner.id);
    assert.equal(await statusOf(body.token), 200);
    assert.match((await signIn({ remember: true })).setCookie!, /; Max-Age=1209600$/);
    const { host } = new URL(running.server.address);
    assert.match((await signIn({}, { origin: `https://${host}` })).setCookie!, /; Secure$/);
  });

  test('each tab gets a token for the cookie, and signing out ends all of them', async () => {
    const first = await signIn();
    const second = await ask('/session/token', {}, { cookie: first.cookie! });
    assert.equal(second.status, 200);
    assert.notEqual(second.body.token, first.body.token);
    assert.equal(await statusOf(second.body.token), 200);
    const ended = await ask('/session/end', {}, { cookie: first.cookie! });
    assert.equal(ended.status, 204);
    assert.match(ended.setCookie!, /Max-Age=0/);
    for (const token of [first.body.token, second.body.token]) assert.equal(await statusOf(token), 401);
    assert.equal((await ask('/session/token', {}, { cookie: first.cookie! })).status, 204);
  });

  test('the log-out of the API signs the browser out, too', async () => {
    const { cookie, body } = await signIn();
    assert.equal((await running.api('POST', '/api/users/logout', { token: body.token })).status, 204);
    assert.equal((await ask('/session/token', {}, { cookie: cookie! })).status, 204);
  });

  test('the API takes no cookie, and what the cookie holds is no token', async () => {
    const { cookie } = await signIn();
    for (const path of ['/api/users/me', '/v2/users/me']) {
      assert.equal((await running.api('GET', path, { headers: { cookie: cookie! } })).status, 401);
      assert.equal((await running.api('GET', path, { token: cookie!.split('=')[1]! })).status, 401);
    }
  });

  test('a page of another origin is refused, whatever it sends', async () => {
    const { cookie } = await signIn();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[])
      for (const path of ['/session', '/session/token', '/session/end']) {
        const { status, setCookie } = await ask(path, {}, { cookie: cookie!, ...headers });
        assert.equal(status, 403, `${path} ${JSON.stringify(headers)}`);
        assert.equal(setCookie, undefined);
      }
    const form = { 'content-type': 'application/x-www-form-urlencoded', cookie: cookie! };
    assert.equal((await ask('/session/end', 'a=b', form)).status, 415);
    assert.equal((await ask('/session/token', {}, { cookie: cookie! })).status, 200, 'the session goes on');
  });

  test('a wrong password is refused as it is by the API, and counted together', async () => {
    const person = await makePerson(running.api, station.admin, 'guessed');
    const wrong = () => ask('/session', { username: person.email, password: 'wrong' });
    assert.equal((await wrong()).body.error.code, 'LOGIN_FAILED');
    for (let tries = 0; tries < 9; tries++)
      await running.api('POST', '/api/users/login', { body: { email: person.email, password: 'wrong' } });
    assert.equal((await wrong()).status, 429);
    assert.equal((await ask('/session', { username: person.email, password: PASSWORD })).status, 429);
  });

  test('signing in again ends the session that the browser had', async () => {
    const first = await signIn();
    const second = await signIn({}, { cookie: first.cookie! });
    assert.equal(await statusOf(first.body.token), 401);
    assert.equal(await statusOf(second.body.token), 200);
  });

  test('a new password ends every browser but the one it was changed in', async () => {
    const person = await makePerson(running.api, station.admin, 'changer');
    const credentials = { username: person.email, password: PASSWORD };
    const [here, there] = [await ask('/session', credentials), await ask('/session', credentials)];
    const anotherTab = await ask('/session/token', {}, { cookie: here.cookie! });
    const body = { oldPassword: PASSWORD, newPassword: 'a very different password' };
    const changed = await running.api('POST', '/api/users/change-password', { token: here.body.token, body });
    assert.equal(changed.status, 204);
    assert.equal(await statusOf(here.body.token), 200);
    assert.equal(await statusOf(anotherTab.body.token), 200);
    assert.equal((await ask('/session/token', {}, { cookie: here.cookie! })).status, 200);
    assert.equal(await statusOf(there.body.token), 401);
    assert.equal((await ask('/session/token', {}, { cookie: there.cookie! })).status, 204);
  });

  test('a browser is one session in the list, however many tabs it has, and ends with them from there', async () => {
    const person = await makePerson(running.api, station.admin, 'listed');
    const { cookie, body } = await ask('/session', { username: person.email, password: PASSWORD });
    const tab = await ask('/session/token', {}, { cookie: cookie! });
    const list = async () => (await running.api('GET', '/api/users/me/sessions', { token: tab.body.token })).body;
    const sessions = await list();
    assert.deepEqual(
      sessions.map(({ kind, current }: { kind: string; current: boolean }) => [kind, current]),
      [
        ['session', true],
        ['session', false],
      ],
    );
    const made = await running.api('POST', '/v2/users/personalAccessTokens', {
      token: tab.body.token,
      body: { description: 'script' },
    });
    assert.equal(made.status, 200, 'a tab counts as signed in when its browser did');
    const path = `/api/users/me/sessions/${sessions[0].id}`;
    assert.equal((await running.api('DELETE', path, { token: person.token })).status, 204);
    for (const token of [body.token, tab.body.token]) assert.equal(await statusOf(token), 401);
    assert.equal((await ask('/session/token', {}, { cookie: cookie! })).status, 204);
  });

  test('what is no credentials is refused as such', async () => {
    for (const body of ['[]', '"x"', '{"username":[1]}', '{"password":5e99}', '{}', '{"remember":"maybe"}'])
      assert.ok([400, 422].includes((await ask('/session', body)).status), body);
    assert.equal((await ask('/session', '{')).status, 400);
  });
});

onEitherEngine(
  'a tab whose token lasts five seconds',
  (running) => {
    test('keeps its live stream when the token has expired, and loses it when the browser signs out', async () => {
      const { address } = running.server;
      const station = await makeStation(running.api);
      const { cookie, body } = await askSession(address, '/session', {
        username: station.owner.email,
        password: PASSWORD,
      });
      const stream = await fetch(`${address}/api/live`, { headers: { authorization: body.token } });
      const reader = stream.body!.getReader();
      let received = '';
      let hasEnded = false;
      const listening = (async () => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          received += new TextDecoder().decode(value);
        }
        hasEnded = true;
      })();
      await eventually(
        'the token of the tab expires',
        async () => (await running.api('GET', '/api/users/me', { token: body.token })).status,
        (status) => status === 401,
      );
      const next = await askSession(address, '/session/token', {}, { cookie: cookie! });
      assert.equal(next.status, 200);
      await station.owner.client.createPoint({ id: station.device, body: { location: { lat: 1, lng: 2 } } });
      await eventually(
        'the position arrives by the stream that was opened with the expired token',
        async () => received,
        (text) => text.includes('event: position'),
      );
      assert.equal(hasEnded, false);
      await askSession(address, '/session/end', {}, { cookie: cookie! });
      await listening;
    });
  },
  { TRACKWAY_TAB_TOKEN: '5' },
);

onOneEngine(
  'the routes of the session',
  (running) => {
    test('are limited as the sign-in of the API is', async () => {
      const statuses: number[] = [];
      for (let tries = 0; tries < 40; tries++)
        statuses.push((await askSession(running.server.address, '/session', {})).status);
      assert.ok(statuses.includes(429), statuses.join());
    });
  },
  { TRACKWAY_LOGIN_RATE_LIMIT: '5' },
);

test('a restart of the server keeps the browser signed in', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trackway-session-'));
  try {
    const before = await startServer('sqlite', folder);
    const { cookie, body } = await askSession(before.address, '/session', {
      username: ADMIN.email,
      password: ADMIN.password,
    });
    await before.kill();
    const after = await startServer('sqlite', folder);
    const me = await fetch(`${after.address}/api/users/me`, { headers: { authorization: body.token } });
    assert.equal(me.status, 200);
    assert.equal((await askSession(after.address, '/session/token', {}, { cookie: cookie! })).status, 200);
    await after.stop();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
