import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { CATALOGS } from '@trackway/contract/messages/generated/catalogs.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { auditOf } from '../../server/src/edge/http/audited.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { askSession } from './harness/browser-session.ts';
import { onEitherEngine } from './harness/engines.ts';
import { logIn, makePerson, PASSWORD } from './harness/people.ts';
import { voiceOf } from './harness/station.ts';
import { EXPECTED } from './permissions/expectations.ts';
import { requestFor } from './permissions/requests.ts';
import { makeWorld, type World } from './permissions/world.ts';

const NAMES = Object.keys(OPERATIONS) as OperationName[];

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  readonly actorId: number | null;
  readonly actor: string | null;
  readonly address: string | null;
  readonly userId: number | null;
  readonly deviceId: number | null;
  readonly count: number;
  readonly detail: Record<string, unknown> | null;
}

/** What must be there before the call, so that it changes something. */
const BEFORE: Partial<Record<OperationName, (world: World, path: string) => Promise<unknown>>> = {
  getDeviceSecret: (world, path) => world.asAdmin('PUT', path, { secret: 's3cret' }),
  setDevicePlan: (world, path) => world.asAdmin('DELETE', path),
  deleteNotificationTriggers: (world, path) =>
    world.api('POST', `/api${path}`, { token: world.people.owner.token, body: { type: 'newLoc' } }),
  deleteGeofences: (world, path) => world.asAdmin('POST', path, { name: 'home' }),
  updateMessage: (world, path) => world.asAdmin('PUT', path, { message: 'another' }),
  cancelFirmwareUpdate: (world, path) =>
    world.api('POST', `/v2${path}`, { token: world.people.owner.token, body: { build: '7' } }),
  discardDeviceQuarantine: quarantined,
  discardQuarantine: quarantined,
};

/** A device of the owner reports what cannot be true. */
async function quarantined(world: World, path: string): Promise<void> {
  const id = /^\/devices\/(\d+)/.exec(path)?.[1] ?? world.device;
  const { deviceKey } = (await world.asAdmin('POST', `/devices/${id}/key`)).body;
  const body = { points: [{ location: { lat: 99, lng: 0 }, correlationId: `${performance.now()}` }] };
  const { status, text } = await world.api('POST', '/ingest/reports', { token: deviceKey, body });
  assert.equal(status, 200, text);
}

/** The first admin exists already; the others need a queue, mail or an authenticator. Their own tests look at entries. */
const TRIED_ELSEWHERE: readonly OperationName[] = [
  'setUp',
  'requestQueueProof',
  'proveQueue',
  'beginPasskey',
  'createPasskey',
  'requestPasswordReset',
  'resetPassword',
  'confirmEmail',
  'answerMailRequest',
  'openLink',
  'createInvitation',
  'resendInvitation',
  'deleteInvitation',
  'acceptInvitation',
  // There is no unknown tracker here.
  'addUnknownTracker',
  'deleteUnknownTracker',
  // What can never be true is not released.
  'releaseDeviceQuarantine',
  'releaseQuarantine',
  // This server has no broker.
  'getMqttCredentials',
  // As the plan of one device is recorded.
  'putPlanOfDevices',
  // As one device that is created is recorded.
  'addTrackers',
];

const BODIES: Partial<Record<OperationName, object>> = {
  updateDevice: { serial: 'another serial' },
  updateUser: { name: 'somebody else' },
};

onEitherEngine('audit trail', (running) => {
  let world: World;
  before(async () => {
    world = await makeWorld(running.api);
  });

  const entriesOf = async (token: string, filter: object = {}): Promise<Entry[]> => {
    const query = encodeURIComponent(JSON.stringify(filter));
    const { status, body, text } = await running.api('GET', `/api/auditEntries?filter=${query}`, { token });
    assert.equal(status, 200, text);
    return body;
  };
  const newest = async () => (await entriesOf(world.people.admin.token, { order: 'id DESC', limit: 1 }))[0]?.id ?? 0;
  const since = (id: number) => entriesOf(world.people.admin.token, { where: { id: { gt: id } }, order: 'id ASC' });

  for (const name of NAMES) {
    const audited = auditOf(name);
    test(`${name} is ${'as' in audited ? `recorded as ${audited.as}` : `not recorded: ${audited.not}`}`, async () => {
      const caller = (['owner', 'admin'] as const).find((who) => EXPECTED[name].own?.[who] === 'ok');
      if (TRIED_ELSEWHERE.includes(name)) return;
      assert.ok(caller, 'it has a caller for whom it works');
      const { path, token, body } = await requestFor(world, name, caller, 'own', 'ok');
      await BEFORE[name]?.(world, path);
      const last = await newest();
      const { method, versions }: Operation = OPERATIONS[name];
      const answer = await running.api(method, BASES[versions[0]!] + path, { token, body: BODIES[name] ?? body });
      assert.ok(answer.status < 300, answer.text);
      const entries = await since(last);
      if ('not' in audited)
        return assert.deepEqual(
          entries.map(({ action }) => action),
          [],
        );
      const [entry] = entries;
      assert.equal(entry?.action, audited.as, JSON.stringify(entries));
      assert.equal(entry.address, '127.0.0.1');
      if (path.startsWith('/devices/')) {
        assert.equal(entry.deviceId, Number(path.split('/')[2]));
        assert.equal(entry.userId, world.people.owner.id, 'it concerns the owner of the device');
      }
      const text = JSON.stringify(entries);
      for (const secret of [PASSWORD, token ?? PASSWORD, 's3cret', answer.body?.token, answer.body?.deviceKey])
        assert.ok(secret === undefined || !text.includes(secret), 'no entry contains a secret');
    });
  }

  test('users see what they did and what was done to what is theirs, without the addresses of others', async () => {
    const { admin } = world.people;
    const owner = voiceOf(running.api, await makePerson(running.api, admin, 'watched'));
    const manager = voiceOf(running.api, await makePerson(running.api, admin, 'manages'));
    const stranger = voiceOf(running.api, await makePerson(running.api, admin, 'outside'));
    const { id } = await owner.make('/devices', { name: 'van' });
    await owner.make(`/devices/${id}/shares`, { email: manager.email, rights: 'manage' });
    await manager.make(`/devices/${id}/notificationTriggers`, { type: 'newLoc' });
    const seen = await entriesOf(owner.token, { where: { deviceId: id }, order: 'id ASC' });
    assert.deepEqual(
      seen.map(({ action, actorId, address }) => [action, actorId, address]),
      [
        ['device.created', owner.id, '127.0.0.1'],
        ['share.created', owner.id, '127.0.0.1'],
        ['trigger.created', manager.id, null],
      ],
    );
    assert.deepEqual(
      await entriesOf(owner.token, { where: { deviceId: id, address: '127.0.0.1', actorId: manager.id } }),
      [],
    );
    assert.deepEqual(
      (await entriesOf(manager.token, { where: { deviceId: id } })).map(({ action }) => action),
      ['trigger.created'],
    );
    assert.deepEqual(await entriesOf(stranger.token, { where: { deviceId: id } }), []);
    for (const entry of await entriesOf(stranger.token))
      assert.ok(entry.userId === stranger.id || entry.actorId === stranger.id);
    const all = await entriesOf(admin.token, { where: { deviceId: id } });
    assert.equal(all.length, 3);
    assert.ok(all.every(({ address }) => address !== null));
    const { body } = await running.api(
      'GET',
      `/api/auditEntries/count?where=${encodeURIComponent(JSON.stringify({ deviceId: id }))}`,
      {
        token: owner.token,
      },
    );
    assert.deepEqual(body, { count: 3 });
  });

  test('an admin flag that comes or goes is an entry of its own', async () => {
    const { admin } = world.people;
    const user = await makePerson(running.api, admin, 'promoted');
    for (const isAdmin of [true, false]) await world.asAdmin('PUT', `/users/${user.id}`, { admin: isAdmin });
    const seen = await entriesOf(user.token, { where: { userId: user.id, actorId: admin.id }, order: 'id ASC' });
    assert.deepEqual(
      seen.map(({ action }) => action),
      ['user.created', 'user.adminGranted', 'user.adminWithdrawn'],
    );
  });

  test('failed sign-ins are counted, not listed one by one, and unknown names are kept only if they are addresses', async () => {
    const user = await makePerson(running.api, world.people.admin, 'tried');
    const fail = (who: object) =>
      running.api('POST', '/api/users/login', { body: { ...who, password: 'wrong password' } });
    const last = await newest();
    for (let attempt = 0; attempt < 5; attempt += 1) assert.equal((await fail({ email: user.email })).status, 401);
    await fail({ username: 'MyP4ssword!' });
    await fail({ email: 'nobody@example.org' });
    const entries = await since(last);
    const ofUser = entries.filter(({ userId }) => userId === user.id);
    assert.equal(
      ofUser.reduce((sum, { count }) => sum + count, 0),
      5,
    );
    assert.ok(ofUser.length <= 2, 'at most two minutes were touched');
    const unknown = entries.filter(({ userId }) => userId === null);
    assert.equal(
      unknown.reduce((sum, { count }) => sum + count, 0),
      2,
    );
    assert.ok(!JSON.stringify(entries).includes('MyP4ssword!'));
    const own = await entriesOf(user.token, { where: { action: 'session.failed' } });
    assert.deepEqual(
      own.map(({ address, action }) => [address, action]),
      ofUser.map(() => ['127.0.0.1', 'session.failed']),
    );
  });

  test('the trail is exported as CSV, in which no cell is a formula', async () => {
    const { admin } = world.people;
    await running.api('POST', '/api/users/login', {
      body: { email: '=cmd|calc@example.org', password: 'wrong password' },
    });
    const { text, headers } = await running.api('GET', '/api/auditEntries/export', { token: admin.token });
    assert.match(headers['content-type'] ?? '', /^text\/csv/);
    const lines = text.trimEnd().split('\r\n');
    assert.equal(lines[0], 'id,at,action,actorId,actor,tokenId,address,userId,deviceId,count,detail');
    assert.ok(lines.length > 100);
    assert.ok(!/(^|,)[=+@]/m.test(text));
    const user = await makePerson(running.api, admin, 'exports');
    const own = (await running.api('GET', '/api/auditEntries/export', { token: user.token })).text.trimEnd();
    assert.equal(own.split('\r\n').length, 1 + 2, 'created and signed in');
    const earlier = await running.api('GET', '/api/auditEntries/export?from=2020-01-01&to=2020-02-01', {
      token: admin.token,
    });
    assert.equal(earlier.text.trimEnd().split('\r\n').length, 1);
  });

  test('the security log has a line for each, and none with a secret', async () => {
    const user = await makePerson(running.api, world.people.admin, 'logged');
    const token = await logIn(running.api, user.email);
    for (const password of [PASSWORD, 'wrong password'])
      await askSession(running.server.address, '/session', { username: user.email, password });
    await running.api('GET', '/api/users', { token });
    // What the server writes arrives a moment later, perhaps in pieces.
    const lines = await eventually(
      'the refusal is in the log',
      async () =>
        running.server
          .output()
          .split('\n')
          .filter((line) => line.includes('"security":true') && line.endsWith('}'))
          .map((line) => JSON.parse(line)),
      (all) =>
        all.some(
          ({ event, actorId, operation }) => event === 'refused' && actorId === user.id && operation === 'listUsers',
        ),
    );
    assert.ok(lines.some(({ event, operation }) => event === 'session.started' && operation === 'login'));
    assert.ok(lines.some(({ event }) => event === 'session.failed'));
    const ofBrowser = lines.filter(({ operation }) => operation === 'session-begin');
    assert.deepEqual(
      ofBrowser.map(({ event, userId, status }) => [event, userId, status]),
      [
        ['session.started', user.id, undefined],
        ['session.failed', undefined, 401],
      ],
    );
    const text = JSON.stringify(lines);
    for (const secret of [PASSWORD, token, 'wrong password', 'MyP4ssword!', 's3cret'])
      assert.ok(!text.includes(secret));
  });

  test('every action has its words', () => {
    for (const name of NAMES) {
      const audited = auditOf(name);
      if ('as' in audited) assert.ok(CATALOGS.en.auditActions[audited.as]);
    }
  });
});
