import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { askSession } from './harness/browser-session.ts';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';

onEitherEngine('service accounts', (running) => {
  let station: Station;
  before(async () => {
    station = await makeStation(running.api);
  });
  const make = (body: object = { name: 'Bäckup script' }) => station.admin.make('/serviceAccounts', body);
  const tokenOf = async (id: number) =>
    (await station.admin.make(`/serviceAccounts/${id}/tokens`, { description: 'Script' })).token as string;

  test('an admin makes one with tokens; it is listed as such, and is no admin unless it is made one', async () => {
    const account = await make();
    assert.equal(account.kind, 'service');
    assert.equal(account.admin, false);
    assert.match(account.email, /^ba-ckup-script-\w{6}@service\.invalid$/);
    const filter = JSON.stringify({ where: { kind: 'service' } });
    const listed = (await station.admin.get(`/users?filter=${filter}`)).body;
    assert.ok(listed.some(({ id }: { id: number }) => id === account.id));
    assert.ok(listed.every(({ kind }: { kind: string }) => kind === 'service'));
    const token = await tokenOf(account.id);
    assert.equal((await running.api('GET', '/api/users/me', { token })).body.id, account.id);
    assert.equal((await running.api('GET', '/api/users', { token })).status, 403);
    const powerful = await make({ name: 'Ops', admin: true });
    assert.equal((await running.api('GET', '/api/users', { token: await tokenOf(powerful.id) })).status, 200);
  });

  test('a token is shown once and ends when it is revoked', async () => {
    const account = await make();
    const path = `/serviceAccounts/${account.id}/tokens`;
    const made = await station.admin.make(path, { description: 'nightly', ttl: 3600 });
    const [listed] = (await station.admin.get(path)).body;
    assert.equal(listed.description, 'nightly');
    assert.equal(listed.token, undefined);
    assert.equal((await station.admin.delete(`/serviceTokens/${made.id}`)).status, 204);
    assert.equal((await running.api('GET', '/api/users/me', { token: made.token })).status, 401);
  });

  test('no way of signing in is open to it, and none can be opened', async () => {
    const account = await make();
    const token = await tokenOf(account.id);
    for (const password of ['', 'x', 'undefined', 'null']) {
      const body = { email: account.email, password };
      assert.equal((await running.api('POST', '/api/users/login', { body })).status, 401);
      const session = await askSession(running.server.address, '/session', { username: account.email, password });
      assert.equal(session.status, 401);
    }
    const set = (body: object) => station.admin.put(`/users/${account.id}`, body);
    assert.equal((await set({ password: 'a password for tests' })).status, 422);
    assert.equal((await set({ email: 'mine@example.org' })).status, 422);
    assert.equal((await set({ name: 'Renamed' })).body.name, 'Renamed');
    const own = (path: string, body: object) => running.api('POST', `/api${path}`, { token, body });
    assert.equal((await own('/users/second-factor/authenticator', {})).status, 403);
    assert.equal(
      (await own('/users/change-password', { oldPassword: 'x', newPassword: 'a password for tests' })).status,
      403,
    );
  });

  test('devices are shared with it as with a user', async () => {
    const account = await make();
    const token = await tokenOf(account.id);
    const device = `/devices/${station.device}`;
    assert.equal((await running.api('GET', `/api${device}`, { token })).status, 404);
    const shared = await station.admin.post(`${device}/shares`, { userId: account.id, rights: 'view' });
    assert.equal(shared.status, 200, shared.text);
    assert.equal((await running.api('GET', `/api${device}`, { token })).status, 200);
  });

  test('an admin makes no tokens of people', async () => {
    const refused = await station.admin.post(`/serviceAccounts/${station.owner.id}/tokens`, { description: 'Script' });
    assert.equal(refused.status, 404);
    const own = await running.api('POST', '/v2/users/personalAccessTokens', {
      token: station.owner.token,
      body: { description: 'script' },
    });
    assert.equal((await station.admin.delete(`/serviceTokens/${own.body.id}`)).status, 404);
    assert.equal((await station.owner.post('/serviceAccounts', { name: 'mine' })).status, 403);
  });
});
