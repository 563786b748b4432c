import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { FAMILY_NAMES, type TokenFamily } from '@trackway/contract/families.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { onEitherEngine } from './harness/engines.ts';
import { EventSource } from './harness/event-source.ts';
import { logIn, PASSWORD } from './harness/people.ts';
import { makeStation, type Station } from './harness/station.ts';
import { EXPECTED, WITHOUT_TOKEN } from './scopes/expectations.ts';

const ABSENT = 900_000_001;
const NAMES = Object.keys(EXPECTED) as (keyof typeof EXPECTED)[];

test('every operation has its line in the table of limited tokens, and every line its operation', () => {
  assert.deepEqual([...NAMES, ...WITHOUT_TOKEN].sort(), [...Object.keys(OPERATIONS), 'live'].sort());
});

onEitherEngine('limited tokens', (running) => {
  let station: Station;
  before(async () => {
    station = await makeStation(running.api);
  });

  async function limited(limits: object, token = station.admin.token): Promise<string> {
    const { status, body, text } = await running.api('POST', '/v2/users/personalAccessTokens', {
      token,
      body: { description: 'limited', ...limits },
    });
    assert.equal(status, 200, text);
    return body.token;
  }

  /** Whether the token reaches the operation. It names nothing that exists, so it changes nothing. */
  async function isReached(name: keyof typeof EXPECTED, token: string): Promise<boolean> {
    const { method, path, versions }: Operation =
      name === 'live' ? { ...OPERATIONS.listPoints, path: '/live' } : OPERATIONS[name as OperationName];
    const at = BASES[versions[0]!] + path.replaceAll(/\{\w+\}/g, String(ABSENT));
    // A stream of a device that does not exist is refused after the token was looked at.
    const query = name === 'live' ? `?devices=${ABSENT}` : '';
    const answer = await running.api(method, at + query, { token, ...(method === 'GET' ? {} : { body: {} }) });
    assert.notEqual(answer.status, 401, `${name}: ${answer.text}`);
    const code = versions[0] === 'v2' ? answer.body?.reason : answer.body?.error?.code;
    return code !== 'OUT_OF_SCOPE';
  }

  const CASES = ['read', 'ingest', 'devices'] as const;
  for (const limit of CASES) {
    test(`a token of ${limit} reaches what the table says, and nothing else`, async () => {
      // An admin's device of their own: the token must not be refused for any other reason.
      const { id } = await station.admin.make('/devices', { name: 'mine' });
      const limits = limit === 'devices' ? { deviceIds: [id] } : { access: limit };
      let token = await limited(limits);
      for (const name of NAMES) {
        assert.equal(await isReached(name, token), EXPECTED[name][limit], `${name} by a token of ${limit}`);
        if (name === 'logout' || name === 'logoutV2') token = await limited(limits);
      }
    });
  }

  test('a token of one family reaches that family, and a token of all others does not', async () => {
    const tokens = new Map<TokenFamily, { only: string; others: string }>();
    for (const family of FAMILY_NAMES) {
      const others = FAMILY_NAMES.filter((name) => name !== family);
      tokens.set(family, { only: await limited({ families: [family] }), others: await limited({ families: others }) });
    }
    for (const name of NAMES) {
      const { family } = EXPECTED[name];
      if (family === 'always') continue;
      if (family !== undefined) {
        assert.equal(await isReached(name, tokens.get(family)!.only), true, `${name} is of ${family}`);
        assert.equal(await isReached(name, tokens.get(family)!.others), false, `${name} is of no other than ${family}`);
      } else assert.equal(await isReached(name, await limited({ families: FAMILY_NAMES })), false, name);
    }
  });

  test('a token of some devices sees them alone: lists, counts, positions, notifications, the live stream', async () => {
    const { owner } = station;
    const { id: one } = await owner.make('/devices', { name: 'one' });
    const { id: two } = await owner.make('/devices', { name: 'two' });
    const token = await limited({ deviceIds: [one] }, owner.token);
    const get = async (path: string) => (await running.api('GET', `/api${path}`, { token })).body;
    for (const id of [one, two]) {
      await owner.make(`/devices/${id}/notificationTriggers`, { type: 'button' });
      await owner.make(`/devices/${id}/points`, { alertType: 8, location: { lat: 1, lng: 2 } });
    }
    const received = await eventually(
      'both buttons are recorded',
      async () => (await owner.get(`/users/me/notifications`)).body as { id: number; deviceId: number }[],
      (all) => [one, two].every((id) => all.some(({ deviceId }) => deviceId === id)),
    );
    const idsOf = (rows: { id?: number; deviceId?: number }[]) => rows.map(({ id, deviceId }) => deviceId ?? id);
    assert.deepEqual(idsOf(await get('/devices')), [one]);
    assert.deepEqual(await get('/devices/count'), { count: 1 });
    assert.deepEqual(idsOf(await get('/users/me/devices')), [one]);
    assert.deepEqual(await get('/users/me/devices/count'), { count: 1 });
    assert.deepEqual(idsOf(await get('/users/me/whereabouts')), [one]);
    assert.deepEqual(idsOf(await get('/users/me/notifications')), [one]);
    assert.deepEqual(await get('/users/me/notifications/count'), { count: 1 });
    for (const { id, deviceId } of received)
      for (const part of ['explain', 'deliveries']) {
        const { status } = await running.api('GET', `/api/notifications/${id}/${part}`, { token });
        assert.equal(status, deviceId === one ? 200 : 404, `${part} of a notification of ${deviceId}`);
      }
    const filter = encodeURIComponent(JSON.stringify({ include: ['points'], where: { id: two } }));
    assert.deepEqual(await get(`/devices?filter=${filter}`), []);
    for (const path of ['', '/points', '/export', '/config'])
      assert.equal((await running.api('GET', `/api/devices/${two}${path}`, { token })).status, 404, path);
    assert.equal((await running.api('GET', `/api/live?devices=${two}`, { token })).status, 404);

    const stream = new EventSource(running.api.address, '', { authorization: token });
    await stream.ready();
    await owner.make(`/devices/${two}/points`, { location: { lat: 3, lng: 4 } });
    await owner.make(`/devices/${one}/points`, { location: { lat: 5, lng: 6 } });
    await stream.until((source) => source.of('position').length > 0, 'the position of the first device is sent');
    assert.deepEqual(
      stream.of('position').map(({ data }) => data.deviceId),
      [one],
    );
    stream.close();
  });

  test('a token allows no more than its user may do now', async () => {
    const { owner, other: viewer, device } = station;
    await owner.make(`/devices/${device}/shares`, { email: viewer.email });
    const token = await limited({ deviceIds: [device] }, viewer.token);
    const seen = () => running.api('GET', `/api/devices/${device}`, { token });
    assert.equal((await seen()).status, 200);
    assert.equal((await running.api('DELETE', `/api/devices/${device}`, { token })).status, 403);
    const shares = (await owner.get(`/devices/${device}/shares`)).body as { id: number; email: string }[];
    await owner.delete(`/devices/${device}/shares/${shares.find(({ email }) => email === viewer.email)!.id}`);
    assert.equal((await seen()).status, 404);
    assert.deepEqual((await running.api('GET', '/api/devices', { token })).body, []);
  });

  test("an admin's token of some devices has no admin rights, and a limited token acts for nobody else", async () => {
    const { admin, owner, device } = station;
    const refused = await running.api('POST', '/v2/users/personalAccessTokens', {
      token: admin.token,
      body: { description: 'x', deviceIds: [device] },
    });
    assert.equal(refused.status, 400, 'not a device of the admin');
    const { id } = await admin.make('/devices', { name: 'of the admin' });
    const few = await limited({ deviceIds: [id] });
    assert.equal((await running.api('GET', `/api/devices/${device}`, { token: few })).status, 404);
    assert.equal((await running.api('GET', '/api/users/me', { token: few })).body.id, admin.id);
    const reading = await limited({ access: 'read' });
    for (const token of [few, reading])
      for (const path of ['', '/devices', '/notifications', '/whereabouts'])
        assert.equal((await running.api('GET', `/api/users/${owner.id}${path}`, { token })).status, 403, path);
    assert.equal((await running.api('GET', '/api/health', { token: reading })).status, 200);
  });

  test('a token that only reports stores positions and readings, and reads nothing', async () => {
    const { owner, device } = station;
    const token = await limited({ access: 'ingest', deviceIds: [device] }, owner.token);
    const post = (path: string, body: object) => running.api('POST', `/api/devices/${path}`, { token, body });
    assert.equal((await post(`${device}/points`, { location: { lat: 1, lng: 2 } })).status, 200);
    assert.equal((await post(`${device}/readings`, { type: 'temp', value: 4 })).status, 200);
    const { id: other } = await owner.make('/devices', { name: 'other' });
    assert.equal((await post(`${other}/points`, { location: { lat: 1, lng: 2 } })).status, 404);
    assert.equal((await running.api('GET', `/api/devices/${device}`, { token })).status, 403);
  });

  test('limits that make no sense are refused, and those of a token are shown', async () => {
    const { owner, device } = station;
    const make = (body: object) =>
      running.api('POST', '/v2/users/personalAccessTokens', {
        token: owner.token,
        body: { description: 'x', ...body },
      });
    for (const body of [
      { access: 'all' },
      { deviceIds: [] },
      { deviceIds: [ABSENT] },
      { deviceIds: 'x' },
      { families: [] },
      { families: ['account'] },
      { families: ['users'] },
    ])
      assert.equal((await make(body)).status, 400, JSON.stringify(body));
    const limits = { access: 'read', deviceIds: [device], families: ['positions', 'trips'] };
    const { body } = await make(limits);
    const list = (await running.api('GET', '/v2/users/personalAccessTokens', { token: owner.token })).body;
    const shown = list.tokens.find(({ id }: { id: number }) => id === body.id);
    for (const made of [body, shown])
      assert.deepEqual({ access: made.access, deviceIds: made.deviceIds, families: made.families }, limits);
  });

  test('a token is made after a fresh sign-in, and by no other token', async () => {
    const { owner } = station;
    const make = (token: string, body: object = {}) =>
      running.api('POST', '/v2/users/personalAccessTokens', { token, body: { description: 'x', ...body } });
    const fresh = await logIn(running.api, owner.email);
    const personal = (await make(fresh)).body.token;
    const refused = await make(personal);
    assert.equal(refused.status, 403);
    assert.equal(refused.body.reason, 'FRESH_SIGN_IN_REQUIRED');
    for (const password of ['wrong', PASSWORD]) assert.equal((await make(personal, { password })).status, 403);
  });
});
