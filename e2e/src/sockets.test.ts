import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { logIn, makePerson } from './harness/people.ts';
import { makeStation, type Station, type Voice, voiceOf } from './harness/station.ts';
import { SocketClient } from './harness/web-socket.ts';

const WS = '/v2/chasm/ws';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

onEitherEngine('web sockets', (running) => {
  let station: Station;
  const opened: SocketClient[] = [];
  const connect = (query: string, headers: Record<string, string> = {}) => {
    const client = new SocketClient(running.server.address, WS + query, headers);
    opened.push(client);
    return client;
  };
  const open = (voice: Voice, query = '') => connect(query, { authorization: voice.token }).opened();
  const refusedOf = async (query: string, headers: Record<string, string> = {}) =>
    (await connect(query, headers).until(({ refused }) => refused !== undefined, 'a refusal')).refused!;

  let clock = Date.now() - 3_600_000;
  const fix = (lat = 50) => {
    clock += 1000;
    return { timestamp: new Date(clock).toISOString(), location: { lat, lng: 8 }, accuracy: 5 };
  };
  async function makeTracker(owner: Voice, more: object = {}) {
    const { id, deviceKey } = await owner.client.createDevice({ body: { name: 'tracker', ...more } });
    return {
      id,
      async report(body: object) {
        const { status, text } = await running.api('POST', '/ingest/reports', { token: deviceKey, body });
        assert.equal(status, 200, text);
      },
    };
  }

  before(async () => {
    station = await makeStation(running.api);
  });
  after(() => {
    for (const client of opened) client.close();
  });

  test('sends all that a device does, from the moment it is subscribed to', async () => {
    const { owner } = station;
    const tracker = await makeTracker(owner, { serial: 'SN-1', imei: '490154203237518' });
    const client = await open(owner, '?encoding=json');
    const subscribed = await client.ask({ type: 'subscribe', data: 'serial:SN-1' });
    assert.match(subscribed.timestamp, ISO);
    assert.deepEqual(
      { ...subscribed, messageId: 0, timestamp: 0 },
      { type: 'subscribed', device: String(tracker.id), messageId: 0, timestamp: 0 },
    );
    await tracker.report({
      points: [fix()],
      readings: [{ timestamp: new Date(clock).toISOString(), type: 'temp', value: 21 }],
      messages: [{ message: '{"a": 1}' }],
    });
    await owner.make(`/devices/${tracker.id}/messages`, { message: 'come home' });
    await client.until(
      (now) =>
        now.of('in').length === 1 &&
        ['position', 'reading', 'device', 'message'].every((name) => now.events(name).length > 0),
      'one of each',
    );
    const [inside] = client.of('in');
    assert.match(inside!.timestamp, ISO);
    assert.deepEqual(
      { ...inside, timestamp: 0 },
      { type: 'in', device: String(tracker.id), data: { a: 1 }, encoding: 'json', timestamp: 0 },
    );
    const [position] = client.events('position');
    const { body } = await owner.get(`/devices/${tracker.id}/points`);
    assert.deepEqual(position!.data.data, body[0], 'as the API shows it');
    assert.deepEqual(Object.keys(position!), ['type', 'device', 'data', 'encoding', 'timestamp']);
    assert.equal(position!.encoding, 'json');
    assert.equal(client.events('message')[0]!.data.data.message, 'come home');

    assert.equal((await client.ask({ type: 'unsubscribe', data: '490154203237518' })).type, 'unsubscribed');
    await tracker.report({ points: [fix()] });
    const later = await makeTracker(owner);
    assert.equal((await client.ask({ type: 'subscribe', data: `id:${later.id}` })).type, 'subscribed');
    await later.report({ points: [fix()] });
    await client.until((now) => now.events('position').some(({ device }) => device === String(later.id)), 'the other');
    assert.equal(client.events('position').length, 2, 'nothing of what was unsubscribed');
  });

  test('resumes where it broke off', async () => {
    const { owner } = station;
    const tracker = await makeTracker(owner);
    const first = await open(owner, `?devices=${tracker.id}`);
    await first.until((now) => now.of('subscribed').length === 1, 'the subscription');
    await tracker.report({ points: [fix()] });
    await first.until((now) => now.events('position').length === 1, 'the first');
    first.close();
    await tracker.report({ points: [fix(51)] });
    const { id } = first.events('position')[0]!.data;
    const again = await open(owner, `?devices=${tracker.id}&lastEventId=${id}`);
    await again.until((now) => now.events('position').length === 1, 'the second');
    assert.equal(again.frames[0]!.type, 'subscribed');
    assert.equal(again.events('position')[0]!.data.data.location.lat, 51);
    const lost = await open(owner, `?devices=${tracker.id}&lastEventId=elsewhere`);
    await lost.until((now) => now.events('reset').length === 1, 'a reset');
  });

  test('sends messages in each encoding, to whom the caller may manage', async () => {
    const { api } = running;
    const { owner, otherDevice } = station;
    const tracker = await makeTracker(owner);
    const client = await open(owner, '?encoding=hex');
    const device = String(tracker.id);
    for (const frame of [
      { data: 'ff 00 01' },
      { data: '255,0,1', encoding: 'decimal' },
      { data: '/wAB', encoding: 'base64' },
      { data: 'hello', encoding: 'json' },
      { data: { a: 1 }, encoding: 'json' },
    ])
      assert.equal((await client.ask({ type: 'out', device, ...frame })).type, 'ack');
    const { body } = await owner.get(`/devices/${tracker.id}/messages`);
    assert.deepEqual(
      body.map(({ config, message, mobileTerminated, userId }: Record<string, unknown>) => [
        config ?? message,
        mobileTerminated,
        userId,
      ]),
      ['/wAB', '/wAB', '/wAB', 'hello', '{"a":1}'].map((content) => [content, true, owner.id]),
    );
    const viewer = voiceOf(api, await makePerson(api, station.admin, 'viewer'));
    await owner.client.createShare({ id: tracker.id, body: { email: viewer.email } });
    const watching = await open(viewer);
    const error = async (at: SocketClient, frame: object) => (await at.ask({ type: 'out', ...frame })).error;
    assert.equal(await error(watching, { device, data: 'x' }), `access denied: ${device}`);
    assert.equal(await error(client, { device: otherDevice, data: '00' }), `device not found: ${otherDevice}`);
    assert.equal(await error(client, { device: '987654', data: '00' }), 'device not found: 987654');
    assert.equal(await error(client, { device, data: 'f' }), 'data is not hex');
    assert.equal(
      await error(client, { device, data: 'x', encoding: 'morse' }),
      'encoding must be json, hex, decimal or base64',
    );
    assert.equal(await error(client, { device }), 'data is required');
    assert.equal(await error(client, { data: '00' }), 'device is required');
    assert.match(await error(client, { device, data: '' }), /can't be blank/);
    assert.match(await error(client, { device, data: 'x'.repeat(70_000), encoding: 'json' }), /message/);
    assert.equal((await owner.get(`/devices/${tracker.id}/messages`)).body.length, 5);
  });

  test('what cannot be read is answered by an error, and the socket stays', async () => {
    const { owner, device, otherDevice } = station;
    const client = await open(owner, `?devices=${device},${otherDevice},x`);
    await client.until(({ frames }) => frames.length === 3, 'the answers to the address');
    assert.deepEqual(
      client.frames.map((frame) => frame.device ?? frame.error),
      [String(device), `device not found: ${otherDevice}`, 'device not found: x'],
    );
    for (const [frame, error] of [
      ['no json', 'the frame is not JSON'],
      ['[1]', 'the frame is not a JSON object'],
      ['{}', 'type is required'],
      [JSON.stringify({ type: 'dance' }), 'unknown type: dance'],
      [JSON.stringify({ type: 'subscribe' }), 'data must name devices'],
      [JSON.stringify({ type: 'subscribe', data: '1,'.repeat(1001) }), 'data must not name more than 1000 devices'],
      [
        JSON.stringify({ type: 'dance', messageId: 'x'.repeat(201) }),
        'messageId must be a text of at most 200 characters',
      ],
    ] as const) {
      const before = client.frames.length;
      client.send(frame);
      await client.until(({ frames }) => frames.length > before, error);
      assert.equal(client.frames.at(-1)!.error, error);
    }
    assert.equal((await client.ask({ type: 'dance' })).type, 'error');
    client.send({ type: 'out', data: 'x'.repeat(200_000) });
    await client.until(({ closed }) => closed !== undefined, 'the end');
    assert.equal(client.closed!.code, 1009);
  });

  test('is refused like any request', async () => {
    const { api } = running;
    const { owner, otherDevice } = station;
    const authorization = owner.token;
    assert.deepEqual([(await refusedOf('')).status, (await refusedOf('?authorization=nonsense')).status], [401, 401]);
    for (const query of ['?encoding=morse', `/x?encoding=morse`]) {
      const { status, body } = await refusedOf(query, { authorization });
      assert.deepEqual([status, body.code], [400, 400]);
    }
    const unseen = await refusedOf(`/${otherDevice}`, { authorization });
    const absent = await refusedOf('/987654', { authorization });
    assert.deepEqual([unseen.status, absent.status], [404, 404]);
    assert.equal(unseen.body.message.replace(String(otherDevice), '987654'), absent.body.message);
    assert.equal((await api('GET', WS)).status, 401);
    const plain = await api('GET', WS, { token: owner.token });
    assert.deepEqual([plain.status, plain.headers.upgrade], [426, 'websocket']);
    for (const query of [
      `?authorization=${owner.token}`,
      `?authorization=Bearer%20${owner.token}`,
      `?access_token=${owner.token}`,
    ])
      await connect(query).opened();
    await connect('', { 'x-access-token': owner.token }).opened();
    const bearer = await connect('', { authorization: `Bearer ${owner.token}` }).opened();
    assert.equal((await bearer.ask({ type: 'unsubscribe', data: '5' })).type, 'unsubscribed');
    assert.ok(!running.server.output().includes(owner.token), 'the token is in the log');
    // An upgrade to something else is none.
    const h2c = { connection: 'Upgrade', upgrade: 'h2c' };
    assert.equal((await api('GET', '/api/users/me', { token: owner.token, headers: h2c })).status, 200);
    assert.equal(
      (
        await new SocketClient(running.server.address, '/v2/nowhere').until(
          ({ refused }) => refused !== undefined,
          '404',
        )
      ).refused!.status,
      404,
    );
  });

  test('one device: frames do not name it, and the end of the share closes it', async () => {
    const { api } = running;
    const { owner } = station;
    const viewer = voiceOf(api, await makePerson(api, station.admin, 'single'));
    const tracker = await makeTracker(owner, { serial: 'one/1' });
    const share = await owner.client.createShare({ id: tracker.id, body: { email: viewer.email } });
    const [own, one, many] = [
      await open(owner, '/serial:one%2F1'),
      await open(viewer, `/${tracker.id}?encoding=decimal`),
      await open(viewer, `?devices=${tracker.id}`),
    ];
    assert.equal((await own.ask({ type: 'subscribe', data: '1' })).error, 'this socket is for one device');
    assert.equal((await own.ask({ type: 'out', device: '987654', data: 'hello' })).type, 'ack');
    assert.equal((await one.ask({ type: 'out', data: '1' })).error, `access denied: ${tracker.id}`);
    await tracker.report({ points: [fix()], messages: [{ config: '/wAB' }] });
    for (const client of [own, one, many])
      await client.until((now) => now.of('in').length === 1 && now.events('position').length === 1, 'the report');
    assert.deepEqual(
      { ...one.of('in')[0], timestamp: 0 },
      { type: 'in', data: '255 0 1', encoding: 'decimal', timestamp: 0 },
    );
    assert.deepEqual(Object.keys(one.events('position')[0]!), ['type', 'data', 'encoding', 'timestamp']);

    assert.equal((await owner.delete(`/devices/${tracker.id}/shares/${share.id}`)).status, 204);
    await one.until(({ closed }) => closed !== undefined, 'the end of the socket of one device');
    assert.equal(one.closed!.code, 1008);
    await many.until((now) => now.of('unsubscribed').length === 1, 'the end of the subscription');
    assert.equal(many.of('unsubscribed')[0]!.device, String(tracker.id));
    await tracker.report({ points: [fix()] });
    await own.until((now) => now.events('position').length === 2, 'the second');
    const mine = await makeTracker(viewer);
    assert.equal((await many.ask({ type: 'subscribe', data: tracker.id })).error, `device not found: ${tracker.id}`);
    assert.equal((await many.ask({ type: 'subscribe', data: mine.id })).type, 'subscribed');
    await mine.report({ points: [fix()] });
    await many.until((now) => now.events('position').some(({ device }) => device === String(mine.id)), 'their own');
    assert.equal(many.events('position').length, 2, 'nothing after the share');
  });

  test('the end of the token ends it at once', async () => {
    const { api } = running;
    const { owner, device } = station;
    const token = await logIn(api, owner.email, owner.password);
    const [silent, busy] = [await open({ ...owner, token }), await open({ ...owner, token }, `?devices=${device}`)];
    assert.equal((await api('POST', '/api/users/logout', { token })).status, 204);
    busy.send({ type: 'out', device, data: 'too late' });
    for (const client of [silent, busy]) {
      await client.until(({ closed }) => closed !== undefined, 'the end');
      assert.equal(client.closed!.code, 1008);
    }
    const { body } = await owner.get(`/devices/${device}/messages`);
    assert.ok(!body.some(({ message }: { message: string }) => message === 'too late'));
  });

  test('a limited token sees its devices, and sends only what it may', async () => {
    const { api } = running;
    const { owner, device } = station;
    const other = await makeTracker(owner);
    const limited = async (limits: object) => {
      const made = await api('POST', '/v2/users/personalAccessTokens', {
        token: owner.token,
        body: { description: 'limited', ...limits },
      });
      assert.equal(made.status, 200, made.text);
      return made.body.token as string;
    };
    const some = await open({ ...owner, token: await limited({ deviceIds: [device] }) });
    assert.equal((await some.ask({ type: 'subscribe', data: device })).type, 'subscribed');
    assert.equal((await some.ask({ type: 'subscribe', data: other.id })).error, `device not found: ${other.id}`);
    const reading = await open({ ...owner, token: await limited({ access: 'read' }) });
    assert.equal((await reading.ask({ type: 'subscribe', data: other.id })).type, 'subscribed');
    assert.equal((await reading.ask({ type: 'out', device: other.id, data: 'x' })).type, 'error');
    const authorization = await limited({ families: ['positions'] });
    assert.equal((await refusedOf('', { authorization })).status, 403);
  });

  test('a client that reads nothing harms nobody, and is let go', async () => {
    const { api } = running;
    const owner = voiceOf(api, await makePerson(api, station.admin, 'flooded'));
    const tracker = await makeTracker(owner);
    const [stalled, brisk] = [await open(owner, `?devices=${tracker.id}`), await open(owner, `?devices=${tracker.id}`)];
    for (const client of [stalled, brisk])
      await client.until((now) => now.of('subscribed').length === 1, 'a beginning');
    stalled.socket.pause();
    // What it asks for stays unanswered once nothing more fits.
    for (let i = 0; i < 2000; i++) stalled.send({ type: 'x'.repeat(100) });
    clock = Date.now() - 12 * 3_600_000;
    for (let i = 0; i < 10; i++) await tracker.report({ points: Array.from({ length: 500 }, () => fix()) });
    await brisk.until((now) => now.events('position').length === 5000, 'every position');
    assert.equal((await brisk.ask({ type: 'out', device: tracker.id, data: 'well' })).type, 'ack');
  });

  test('sockets and streams are bounded together', async () => {
    const { api } = running;
    const eager = voiceOf(api, await makePerson(api, station.admin, 'eager'));
    for (let i = 0; i < 20; i++) await open(eager);
    const { status, headers } = await refusedOf('', { authorization: eager.token });
    assert.equal(status, 429);
    assert.ok(Number(headers['retry-after']) > 0);
    assert.equal((await api('GET', '/api/live', { token: eager.token })).status, 429);
  });

  // The last: it ends the server.
  test('a server that stops says so, and does not wait for anybody', async () => {
    const client = await open(station.owner);
    const deaf = await open(station.owner);
    deaf.socket.pause();
    assert.equal(await running.server.stop(), 0);
    await client.until(({ closed }) => closed !== undefined, 'the end');
    assert.equal(client.closed!.code, 1001);
  });
});

onEitherEngine(
  'web sockets and the rate limit',
  (running) => {
    test('each frame counts as a request', async () => {
      const { owner } = await makeStation(running.api);
      const client = await new SocketClient(running.server.address, WS, { authorization: owner.token }).opened();
      // More than two minutes allow, because a minute may end within the test.
      for (let i = 0; i < 130; i++) client.send({ type: 'unsubscribe', data: '1' });
      await client.until(({ frames }) => frames.length === 130, 'all answers');
      assert.ok(
        client.frames.some((frame) => /Too many requests/.test(frame.error)),
        JSON.stringify(client.frames.at(-1)),
      );
      assert.equal(client.closed, undefined);
      client.close();
    });
  },
  { TRACKWAY_RATE_LIMIT: '60' },
);
