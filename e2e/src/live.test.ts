import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { onBothEngines as placesOnBothEngines } from '../../server/src/testing/databases.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type Api, apiOf } from './harness/api.ts';
import { onBothEngines } from './harness/engines.ts';
import { EventSource } from './harness/event-source.ts';
import { logIn, makePerson } from './harness/people.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation, type Station, type Voice, voiceOf } from './harness/station.ts';

const CIRCLE = { name: 'Depot', center: { lat: 50, lng: 8 }, radius: 200 };

interface Tracker {
  readonly id: number;
  report(body: object): Promise<void>;
}

async function makeTracker(api: Api, owner: Voice, name = 'tracker'): Promise<Tracker> {
  const { id, deviceKey } = await owner.client.createDevice({ body: { name } });
  return {
    id,
    async report(body) {
      const { status, text } = await api('POST', '/ingest/reports', { token: deviceKey, body });
      assert.equal(status, 200, text);
    },
  };
}

let clock = Date.now() - 3_600_000;
/** Each is later than the previous one. */
const fix = (lat = 50, more: object = {}) => {
  clock += 1000;
  return { timestamp: new Date(clock).toISOString(), location: { lat, lng: 8 }, accuracy: 5, ...more };
};

onBothEngines('the live stream', (running) => {
  let station: Station;
  const opened: EventSource[] = [];
  const listen = (voice: Voice, query = '', headers: Record<string, string> = {}) => {
    const source = new EventSource(running.server.address, query, { authorization: voice.token, ...headers });
    opened.push(source);
    return source;
  };
  before(async () => {
    station = await makeStation(running.api);
  });
  after(() => {
    for (const source of opened) source.close();
  });

  test('sends positions, readings, messages, states and notifications', async () => {
    const { owner } = station;
    const tracker = await makeTracker(running.api, owner);
    await owner.make(`/users/${owner.id}/geofences`, CIRCLE);
    await owner.make(`/devices/${tracker.id}/notificationTriggers`, { type: 'button' });
    const source = listen(owner);
    await source.ready();
    assert.equal(source.response!.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(source.response!.headers['access-control-allow-origin'], '*');
    assert.match(source.response!.headers['cache-control']!, /no-store/);
    clock = Date.now();
    await tracker.report({
      points: [fix(50, { batteryPct: 64, alertType: 8 })],
      readings: [{ timestamp: new Date(clock).toISOString(), type: 'temp', value: 21 }],
      messages: [{ message: 'hello' }],
    });
    await owner.make(`/devices/${tracker.id}/messages`, { message: 'come home' });
    const byName = (name: Parameters<typeof source.of>[0]) => source.of(name).map(({ data }) => data);
    const kinds = ['position', 'reading', 'device', 'notification'] as const;
    await source.until(
      (now) => kinds.every((kind) => now.of(kind).length > 0) && now.of('message').length === 2,
      'one of each and both messages',
    );
    assert.deepEqual(byName('position')[0].location, { lat: 50, lng: 8 });
    assert.equal(byName('reading')[0].value, 21);
    assert.deepEqual(
      byName('message').map(({ message }) => message),
      ['hello', 'come home'],
    );
    assert.equal(byName('device')[0].batteryPct, 64);
    assert.equal(byName('notification')[0].params.type, 'button');
    const { body } = await owner.get(`/devices/${tracker.id}/points`);
    assert.deepEqual(byName('position')[0], body[0], 'as the API shows it');
  });

  test('needs a token, and takes it in the address since browsers cannot send headers', async () => {
    const { api } = running;
    assert.equal((await api('GET', '/api/live')).status, 401);
    assert.equal((await api('GET', '/api/live', { token: 'nonsense' })).status, 401);
    const { owner, otherDevice } = station;
    assert.equal((await api('GET', `/api/live?devices=${otherDevice}`, { token: owner.token })).status, 404);
    assert.equal((await api('GET', '/api/live?devices=987654', { token: owner.token })).status, 404);
    assert.equal((await api('GET', '/api/live?devices=1,x', { token: owner.token })).status, 400);
    const source = new EventSource(running.server.address, `?access_token=${owner.token}`);
    opened.push(source);
    await source.ready();
  });

  test('no user gets data of others; an end of a share or a log-out ends it at once', async () => {
    const { api } = running;
    const { owner } = station;
    const viewer = voiceOf(api, await makePerson(api, station.admin, 'viewer'));
    const tracker = await makeTracker(api, owner);
    const share = await owner.client.createShare({ id: tracker.id, body: { email: viewer.email } });
    const [all, one, admin] = [
      listen(viewer),
      listen(viewer, `?devices=${tracker.id}`),
      listen(station.admin, `?devices=${tracker.id}`),
    ];
    for (const source of [all, one, admin]) await source.ready();
    await tracker.report({ points: [fix()] });
    for (const source of [all, one, admin]) await source.until((now) => now.of('position').length === 1, 'the first');
    assert.equal((await owner.delete(`/devices/${tracker.id}/shares/${share.id}`)).status, 204);
    await tracker.report({ points: [fix()] });
    await admin.until((now) => now.of('position').length === 2, 'the second');
    const later = await makeTracker(api, viewer);
    await later.report({ points: [fix()] });
    await all.until((now) => now.of('position').some(({ data }) => data.deviceId === later.id), 'something later');
    await one.until((now) => now.isEnded, 'the end of the stream');
    // Events of another device may come in another order.
    await all.until((now) => now.of('access').some(({ data }) => data.deviceId === tracker.id), 'the end of the share');
    const positionsOf = (source: EventSource) =>
      source.of('position').filter(({ data }) => data.deviceId === tracker.id);
    assert.equal(positionsOf(all).length, 1);
    assert.equal(positionsOf(one).length, 1);
    const ends = all.of('access').filter(({ data }) => data.deviceId === tracker.id);
    assert.deepEqual(
      ends.map(({ data }) => data),
      [{ deviceId: tracker.id, right: null }],
    );
    assert.equal(all.isEnded, false);

    const token = await logIn(api, viewer.email, viewer.password);
    const session = listen({ ...viewer, token });
    await session.ready();
    assert.equal((await api('POST', '/api/users/logout', { token })).status, 204);
    await session.until((now) => now.isEnded, 'the log-out');
    assert.equal(all.isEnded, false);
  });

  test('resumes where it broke off, by header or address, also within a report', async () => {
    const { owner } = station;
    const tracker = await makeTracker(running.api, owner);
    const first = listen(owner, `?devices=${tracker.id}`);
    await first.ready();
    await tracker.report({ points: [fix(), fix(), fix()] });
    await first.until((now) => now.of('device').length === 1, 'the report');
    first.close();
    await tracker.report({ points: [fix(), fix()] });
    const second = first.of('position')[1]!;
    const remaining = async (source: EventSource) => {
      await source.until((now) => now.of('device').length === 2, 'the rest');
      return source.of('position').map(({ data }) => data.id);
    };
    const ids = (await owner.client.listPoints({ id: tracker.id })).map(({ id }) => id);
    assert.deepEqual(
      await remaining(listen(owner, `?devices=${tracker.id}`, { 'last-event-id': second.id })),
      ids.slice(2),
    );
    assert.deepEqual(await remaining(listen(owner, `?devices=${tracker.id}&lastEventId=${second.id}`)), ids.slice(2));
    const lost = listen(owner, '', { 'last-event-id': 'elsewhere' });
    await lost.until((now) => now.of('reset').length === 1, 'a reset');
  });

  test('a reader that takes nothing harms nobody', async () => {
    const { api } = running;
    const owner = voiceOf(api, await makePerson(api, station.admin, 'flooded'));
    const tracker = await makeTracker(api, owner);
    const [stalled, brisk] = [listen(owner), listen(owner)];
    for (const source of [stalled, brisk]) await source.ready();
    stalled.stall();
    clock = Date.now() - 12 * 3_600_000;
    const batch = () => Array.from({ length: 500 }, () => fix());
    for (let i = 0; i < 20; i++) await tracker.report({ points: batch() });
    await brisk.until((now) => now.of('position').length === 10_000, 'every position');
    await tracker.report({ points: [fix()] });
    await brisk.until((now) => now.of('position').length === 10_001, 'the last position');
  });

  test('streams are bounded in number', async () => {
    const { api } = running;
    const eager = voiceOf(api, await makePerson(api, station.admin, 'eager'));
    const sources = Array.from({ length: 20 }, () => listen(eager));
    for (const source of sources) await source.ready();
    const { status, headers } = await api('GET', '/api/live', { token: eager.token });
    assert.equal(status, 429);
    assert.ok(Number(headers['retry-after']) > 0);
    sources[0]!.close();
    await eventually('a place is free again', async () => {
      const next = listen(eager);
      await next.until((now) => now.lastId !== '' || now.isEnded, 'an answer');
      return !next.isEnded;
    });
  });
});

placesOnBothEngines('a live stream and a server that stops', { migrations: [] }, (open) => {
  test('the stream ends, and resumes with the next server without a gap', async () => {
    const place = await open.migratedPlace(MIGRATIONS);
    let server = await startServer(open.storeKind, place);
    let api = apiOf(server.address);
    try {
      const { owner, device } = await makeStation(api);
      const read = () => new EventSource(server.address, `?access_token=${owner.token}`, {});
      const source = read();
      await source.ready();
      await owner.make(`/devices/${device}/points`, fix());
      await source.until((now) => now.of('position').length === 1, 'the first');
      assert.equal(await server.stop(), 0, 'the stream held up the end');
      await source.until((now) => now.isEnded, 'the end');
      api.close();
      server = await startServer(open.storeKind, place);
      api = apiOf(server.address);
      await voiceOf(api, owner).make(`/devices/${device}/points`, fix());
      const again = new EventSource(server.address, `?access_token=${owner.token}&lastEventId=${source.lastId}`);
      await again.until((now) => now.of('position').length === 1, 'the second');
      again.close();
    } finally {
      api.close();
      await server.stop();
    }
  });
});
