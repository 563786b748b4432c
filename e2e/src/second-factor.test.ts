import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { codeOf } from './harness/authenticator-app.ts';
import { askSession } from './harness/browser-session.ts';
import { onEitherEngine } from './harness/engines.ts';
import { adminOf, logIn, makePerson, PASSWORD, type Person } from './harness/people.ts';
import { ADMIN } from './harness/server-process.ts';
import { SoftPasskey } from './harness/soft-passkey.ts';

const FACTOR = '/users/second-factor';

onEitherEngine('the second factor', (running) => {
  let admin: Person;
  /** Passkeys belong to a name, so the tests go to the name of this machine. */
  let origin: string;
  before(async () => {
    origin = running.server.address.replace('127.0.0.1', 'localhost');
    admin = await adminOf(running.api);
  });
  const newcomer = (more: object = {}) => makePerson(running.api, admin, 'user', more);
  const post = (token: string, path: string, body: object = {}) =>
    running.api('POST', `/api${path}`, { token, body, headers: { origin: origin } });
  const login = (person: Person, more: object = {}, version = 'api') =>
    running.api('POST', `/${version}/users/login`, { body: { email: person.email, password: PASSWORD, ...more } });
  const session = (body: object) => askSession(origin, '/session', body);
  const enrol = async (person: Person) => {
    const { secret } = (await post(person.token, `${FACTOR}/authenticator`)).body;
    const confirmed = await post(person.token, `${FACTOR}/authenticator/confirm`, { code: codeOf(secret) });
    assert.equal(confirmed.status, 200, confirmed.text);
    return { secret, recoveryCodes: confirmed.body.recoveryCodes as string[] };
  };
  const addPasskey = async (person: Person, passkey = new SoftPasskey()) => {
    const options = (await post(person.token, '/users/passkeys/options')).body;
    const made = await post(person.token, '/users/passkeys', {
      name: 'Phone',
      response: passkey.create(options, origin),
    });
    assert.equal(made.status, 200, made.text);
    return { passkey, made: made.body };
  };
  const signOptions = async () => (await askSession(origin, '/session/passkey')).body;

  test('an app counts once it is confirmed: then the password alone is refused, on both versions', async () => {
    const person = await newcomer();
    const { uri, secret } = (await post(person.token, `${FACTOR}/authenticator`)).body;
    assert.match(uri, /^otpauth:\/\/totp\/Trackway:/);
    assert.equal((await login(person)).status, 200, 'not before it is confirmed');
    assert.equal((await post(person.token, `${FACTOR}/authenticator/confirm`, { code: '000000' })).status, 422);
    const confirmed = await post(person.token, `${FACTOR}/authenticator/confirm`, { code: codeOf(secret) });
    assert.equal(confirmed.body.recoveryCodes.length, 10);
    const refused = await login(person);
    assert.equal(refused.status, 401);
    assert.equal(refused.body.error.code, 'SECOND_FACTOR_REQUIRED');
    assert.deepEqual(refused.body.error.details.ways, ['app', 'recovery']);
    assert.equal((await login(person, {}, 'v2')).status, 401);
    assert.equal((await login(person, { code: codeOf(secret, 1) }, 'v2')).status, 200);
    assert.equal((await running.api('GET', '/api/users/me', { token: person.token })).status, 200, 'sessions go on');
  });

  test('a code works once, also for two at the same time and at both sign-ins', async () => {
    const person = await newcomer();
    const { secret } = await enrol(person);
    const code = codeOf(secret, 1);
    const answers = await Promise.all([
      login(person, { code }),
      login(person, { code }),
      session({ username: person.email, password: PASSWORD, code }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
    const again = await login(person, { code });
    assert.equal(again.body.error.code, 'SECOND_FACTOR_FAILED');
    // A code of a step before the last one that was used is used up, too.
    assert.equal((await login(person, { code: codeOf(secret) })).status, 401);
  });

  test('a recovery code works once, however it is typed', async () => {
    const person = await newcomer();
    const { recoveryCodes } = await enrol(person);
    const [first, second] = recoveryCodes as [string, string];
    assert.equal((await login(person, { code: first.toUpperCase().replaceAll('-', ' ') })).status, 200);
    assert.equal((await login(person, { code: first })).status, 401);
    const { body } = await running.api('GET', `/api${FACTOR}`, { token: person.token });
    assert.equal(body.recoveryCodes, 9);
    const renewed = await post(person.token, `${FACTOR}/recovery-codes`, {
      password: PASSWORD,
      code: recoveryCodes[2],
    });
    assert.equal(renewed.status, 200);
    assert.equal((await login(person, { code: second })).status, 401, 'the earlier ones ended');
    assert.equal((await login(person, { code: renewed.body.recoveryCodes[0] })).status, 200);
  });

  test('codes are not guessed: wrong ones are counted with wrong passwords, and a right password resets nothing', async () => {
    const person = await newcomer();
    await enrol(person);
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries++) {
      await login(person);
      statuses.push((await login(person, { code: String(tries).padStart(6, '0') })).status);
    }
    assert.ok(
      statuses.slice(10).every((status) => status === 429),
      statuses.join(),
    );
  });

  test('it is removed only with the password or a code, and not by an open session', async () => {
    const person = await newcomer();
    const { secret } = await enrol(person);
    const remove = (body: object) => post(person.token, `${FACTOR}/authenticator/remove`, body);
    assert.equal((await remove({})).status, 422);
    for (const password of ['wrong', PASSWORD]) {
      const refused = await remove({ password });
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'SECOND_FACTOR_REQUIRED']);
      assert.deepEqual(refused.body.error.details.ways, ['app', 'recovery']);
    }
    assert.equal((await remove({ code: '123456' })).status, 422);
    assert.equal((await remove({ code: codeOf(secret, 1), password: 'wrong' })).status, 422);
    assert.equal((await login(person)).status, 401);
    assert.equal((await remove({ code: codeOf(secret, 1) })).status, 204);
    assert.equal((await login(person)).status, 200);
  });

  test('a personal token changes nothing of the account, whatever is sent with it', async () => {
    const person = await newcomer();
    const made = await running.api('POST', '/v2/users/personalAccessTokens', {
      token: person.token,
      body: { description: 'script' },
    });
    const { token } = made.body;
    for (const path of [`${FACTOR}/authenticator`, '/users/passkeys/options']) {
      const refused = await post(token, path);
      assert.equal(refused.status, 403);
      assert.equal(refused.body.error.code, 'FRESH_SIGN_IN_REQUIRED');
      assert.equal((await post(token, path, { password: PASSWORD })).status, 403);
    }
    const device = await post(person.token, '/devices', { name: 'van' });
    const change = { oldPassword: PASSWORD, newPassword: 'another password of theirs' };
    const operations: [method: string, path: string, body: object][] = [
      ['POST', `/api${FACTOR}/recovery-codes`, { password: PASSWORD }],
      ['POST', `/api${FACTOR}/authenticator/remove`, { password: PASSWORD }],
      ['POST', '/v2/users/personalAccessTokens', { description: 'more', password: PASSWORD }],
      ['POST', '/api/users/change-password', change],
      ['PUT', '/api/users/me', { password: change.newPassword, currentPassword: PASSWORD }],
      ['PUT', '/api/users/me', { email: `new.${person.email}`, currentPassword: PASSWORD }],
      ['POST', '/api/users/me/erase', { email: person.email, password: PASSWORD }],
      ['POST', `/api/devices/${device.body.id}/erase`, { name: 'van', password: PASSWORD }],
    ];
    const statuses = async (more: object) => {
      const all = [];
      for (const [method, path, body] of operations)
        all.push((await running.api(method, path, { token, body: { ...body, ...more } })).status);
      return all;
    };
    const refused = operations.map(() => 403);
    assert.deepEqual(await statuses({}), refused);
    const { recoveryCodes } = await enrol(person);
    assert.deepEqual(await statuses({}), refused);
    assert.deepEqual(await statuses({ code: recoveryCodes[0] }), refused);
    const codes = await running.api('GET', `/api${FACTOR}`, { token: person.token });
    assert.equal(codes.body.recoveryCodes, 10, 'no code is used up');
    // Whoever has just signed in proved the factor then.
    assert.equal((await post(person.token, '/users/change-password', change)).status, 204);
  });

  test('a personal token is made with a sign-in token as before, on both versions', async () => {
    const person = await newcomer();
    const { secret } = await enrol(person);
    const token = (await login(person, { code: codeOf(secret, 1) })).body.id;
    const made = await running.api('POST', '/v2/users/personalAccessTokens', {
      token,
      body: { description: 'script' },
    });
    assert.equal(made.status, 200, made.text);
  });

  test('an admin helps somebody who lost everything', async () => {
    const person = await newcomer();
    await enrol(person);
    await addPasskey(person);
    const path = `/api/users/${person.id}/second-factor`;
    assert.equal((await running.api('DELETE', path, { token: person.token })).status, 403);
    assert.equal((await running.api('DELETE', path, { token: admin.token })).status, 204);
    assert.equal((await running.api('GET', '/api/users/me', { token: person.token })).status, 401);
    assert.equal((await login(person)).status, 200);
  });

  test('a passkey signs in alone, and as the second factor', async () => {
    const person = await newcomer();
    const { passkey, made } = await addPasskey(person);
    assert.equal(made.recoveryCodes.length, 10);
    passkey.counter = 1;
    const alone = await session({ passkey: passkey.get(await signOptions(), origin) });
    assert.equal(alone.status, 200, JSON.stringify(alone.body));
    assert.equal(alone.body.userId, person.id);
    const credentials = { username: person.email, password: PASSWORD };
    assert.deepEqual((await session(credentials)).body.error.details.ways, ['passkey', 'recovery']);
    passkey.counter = 2;
    assert.equal((await session({ ...credentials, passkey: passkey.get(await signOptions(), origin) })).status, 200);
    assert.equal((await login(person, { code: made.recoveryCodes[0] })).status, 200);
  });

  test('a passkey is refused that was copied, replayed, not unlocked, or signed for another site', async () => {
    const person = await newcomer();
    const { passkey } = await addPasskey(person);
    passkey.counter = 5;
    const answer = passkey.get(await signOptions(), origin);
    assert.equal((await session({ passkey: answer })).status, 200);
    assert.equal((await session({ passkey: answer })).status, 401, 'the same answer twice');
    passkey.counter = 5;
    assert.equal(
      (await session({ passkey: passkey.get(await signOptions(), origin) })).status,
      401,
      'a counter that stands',
    );
    passkey.counter = 6;
    passkey.isVerified = false;
    assert.equal((await session({ passkey: passkey.get(await signOptions(), origin) })).status, 401, 'not unlocked');
    passkey.isVerified = true;
    const elsewhere = passkey.get(await signOptions(), 'https://evil.example');
    assert.equal((await session({ passkey: elsewhere })).status, 401);
    const { challenge: _, ...options } = await signOptions();
    const made = passkey.get({ ...options, challenge: 'bWFkZSB1cA' } as never, origin);
    assert.equal((await session({ passkey: made })).status, 401, 'a challenge that was never given out');
    assert.equal((await session({ passkey: new SoftPasskey().get(await signOptions(), origin) })).status, 401);
    for (const nonsense of [{}, { id: 5 }, { id: passkey.id }, { id: passkey.id, response: [] }])
      assert.equal((await session({ passkey: nonsense })).status, 401);
  });

  test("another user's passkey is no second factor, and an answer for one account makes no passkey of another", async () => {
    const [person, other] = [await newcomer(), await newcomer()];
    await addPasskey(person);
    const { passkey } = await addPasskey(other);
    passkey.counter = 1;
    const answer = passkey.get(await signOptions(), origin);
    const credentials = { username: person.email, password: PASSWORD };
    assert.equal((await session({ ...credentials, passkey: answer })).body.error.code, 'SECOND_FACTOR_FAILED');
    const options = (await post(other.token, '/users/passkeys/options')).body;
    const response = new SoftPasskey().create(options, origin);
    assert.equal((await post(person.token, '/users/passkeys', { name: 'x', response })).status, 422);
  });

  test('passkeys are named, renamed and deleted by their user; the last one takes the second factor with it', async () => {
    const person = await newcomer();
    const { made } = await addPasskey(person);
    const path = `/api/users/passkeys/${made.id}`;
    const renamed = await running.api('PUT', path, { token: person.token, body: { name: 'Laptop' } });
    assert.equal(renamed.body.name, 'Laptop');
    assert.equal((await login(person)).status, 401);
    assert.equal((await running.api('DELETE', path, { token: person.token })).status, 204);
    assert.equal((await login(person)).status, 200);
    const { body } = await running.api('GET', `/api${FACTOR}`, { token: person.token });
    assert.equal(body.recoveryCodes, 0);
  });

  test('no passkey is made for a name that a request made up', async () => {
    const person = await newcomer();
    for (const origin of ['https://evil.example', 'http://127.0.0.1:8080', 'null', 'https://localhost.evil.example']) {
      const headers = { origin };
      const refused = await running.api('POST', '/api/users/passkeys/options', {
        token: person.token,
        body: {},
        headers,
      });
      assert.equal(refused.status, 400, origin);
    }
  });
});

onEitherEngine(
  'a second factor that is demanded of admins',
  (running) => {
    test('an admin without one is an ordinary user, with every token, until it is set up', async () => {
      const token = await logIn(running.api, ADMIN.email, ADMIN.password);
      const personal = (
        await running.api('POST', '/v2/users/personalAccessTokens', { token, body: { description: 'script' } })
      ).body.token;
      for (const held of [token, personal]) {
        const refused = await running.api('GET', '/api/users', { token: held });
        assert.equal(refused.status, 403);
        assert.equal(refused.body.error.code, 'SECOND_FACTOR_DEMANDED');
        assert.deepEqual((await running.api('GET', '/api/devices', { token: held })).body, []);
      }
      const state = await running.api('GET', `/api${FACTOR}`, { token });
      assert.equal(state.body.demanded, true);
      const stream = await fetch(`${running.server.address}/api/live`, { headers: { authorization: token } });
      assert.equal(stream.status, 200);
      await stream.body!.cancel();
      const { secret } = (await post(token, `${FACTOR}/authenticator`)).body;
      assert.equal((await post(token, `${FACTOR}/authenticator/confirm`, { code: codeOf(secret) })).status, 200);
      for (const held of [token, personal])
        assert.equal((await running.api('GET', '/api/users', { token: held })).status, 200);
      const service = await post(token, '/serviceAccounts', { name: 'Ops', admin: true });
      const made = await post(token, `/serviceAccounts/${service.body.id}/tokens`, { description: 'Script' });
      assert.equal(
        (await running.api('GET', '/api/users', { token: made.body.token })).status,
        200,
        'a program has none',
      );
    });
    const post = (token: string, path: string, body: object = {}) =>
      running.api('POST', `/api${path}`, { token, body });
  },
  { TRACKWAY_ADMIN_SECOND_FACTOR: 'true' },
);
