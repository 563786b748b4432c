import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { avlData, tcpFrame } from '@trackway/server/edge/protocols/trackers/teltonika/testing.ts';
import { teltonika } from '@trackway/simulator/trackers/teltonika.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { onEitherEngine as placesOnBothEngines } from '../../server/src/testing/databases.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type Api, apiOf } from './harness/api.ts';
import { onEitherEngine } from './harness/engines.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation, type Voice } from './harness/station.ts';
import { connectTracker } from './harness/tracker.ts';

/** Tags have no network of their own: they are near the gateways and trackers that receive them. */

const M = 1 / 111_195;
const HOME = { lat: 50, lng: 8 };
const BEACON = '00112233445566778899-aabbccddeeff';
let made = 0;

type Gateway = Awaited<ReturnType<Voice['client']['createDevice']>>;

async function makeTag(owner: Voice) {
  made += 1;
  const btMac = `AA:BB:CC:00:${String(made % 100).padStart(2, '0')}:01`;
  return { ...(await owner.client.createDevice({ body: { name: 'Keys', btMac } })), btMac };
}

const fixedGateway = (owner: Voice, name: string, north: number) =>
  owner.client.createDevice({ body: { name, meta: { place: { lat: HOME.lat + north * M, lng: HOME.lng } } } });

async function receives(
  api: Api,
  { deviceKey }: Gateway,
  sensorDeviceId: string,
  rssi: number,
  at: number,
): Promise<void> {
  const reading = { type: 'ble_seen', value: rssi, rssi, sensorDeviceId, timestamp: new Date(at).toISOString() };
  const answer = await api('POST', '/ingest/reports', { token: deviceKey!, body: { gatewayReadings: [reading] } });
  assert.equal(answer.status, 200, answer.text);
}

const positionsOf = (owner: Voice, id: number) => owner.client.listPoints({ id, filter: { order: 'timestamp ASC' } });

onEitherEngine('tags that gateways receive', (running) => {
  let owner: Voice;
  let other: Voice;
  before(async () => {
    ({ owner, other } = await makeStation(running.api));
  });

  test('three gateways receive a tag: it is on the map, in a fence once, with the gateways that received it', async () => {
    const tag = await makeTag(owner);
    await owner.make('/users/me/geofences', { name: 'Yard', center: HOME, radius: 200 });
    await owner.make(`/devices/${tag.id}/notificationTriggers`, { type: 'geofence', delivery: {}, muteFor: 0 });
    const [far, ...gateways] = [
      await fixedGateway(owner, 'Gate', 600),
      await fixedGateway(owner, 'Dock', 0),
      await fixedGateway(owner, 'Hall', 20),
      await fixedGateway(owner, 'Ramp', 40),
    ];
    await receives(running.api, far!, tag.btMac, -70, Date.now());
    await eventually('it is at the gate', async () => (await positionsOf(owner, tag.id)).length > 0);
    type Fired = { id: number; status: string };
    const fired = async () =>
      ((await owner.get(`/devices/${tag.id}/notifications`)).body as Fired[]).filter(
        ({ status }) => status === 'valid',
      );
    let reportedAt = 0;
    await eventually('it entered the yard', async () => {
      if (Date.now() - reportedAt > 2000) {
        reportedAt = Date.now();
        for (const [index, gateway] of gateways.entries())
          await receives(running.api, gateway, tag.btMac, [-60, -75, -90][index]!, reportedAt);
      }
      return (await fired()).length > 0;
    });
    const whereabouts = async () =>
      (await owner.client.listWhereabouts({ id: owner.id })).find(({ deviceId }) => deviceId === tag.id);
    const last = async () => (await positionsOf(owner, tag.id)).at(-1)!;
    const explained = async () => owner.client.explainPoint({ id: tag.id, fk: (await last()).id });
    await eventually('all three count', async () => (await explained()).gateways.length === 3);
    const shown = (await whereabouts())!;
    assert.equal(shown.locationType, 'gateway');
    assert.ok(Math.abs(shown.location!.lat - HOME.lat) < 25 * M);
    assert.ok(shown.accuracy! > 2 && shown.accuracy! < 60, `${shown.accuracy} m`);
    assert.ok(shown.lastConnection !== null);

    const { gateways: counted, sentence } = await explained();
    assert.deepEqual(
      counted.map(({ name, rssi }) => [name, rssi]),
      [
        ['Dock', -60],
        ['Hall', -75],
        ['Ramp', -90],
      ],
    );
    assert.equal(sentence, 'Detected by 3 gateways, strongest Dock (-60 dBm).');

    const entries = await fired();
    assert.equal(entries.length, 1);
    const why = (await owner.get(`/notifications/${entries[0]!.id}/explain`)).body;
    assert.equal(why.because.heardBy[0].name, 'Dock');

    // Whoever sees the tag alone sees what its readings say of gateways, not their names.
    await owner.make(`/devices/${tag.id}/shares`, { email: other.email, rights: 'view' });
    const seen = await other.client.explainPoint({ id: tag.id, fk: (await last()).id });
    assert.deepEqual(new Set(seen.gateways.map(({ name }) => name)), new Set([null]));
    const readings = (await other.get(`/devices/${tag.id}/readings`)).body as { gatewayId: number }[];
    const known = new Set(readings.map(({ gatewayId }) => gatewayId));
    assert.ok(seen.gateways.every(({ gatewayId }) => known.has(gatewayId)));
    const unknown = await running.api('GET', `/api/devices/${tag.id}/points/999999/explain`, { token: owner.token });
    assert.equal(unknown.status, 404);
  });

  test('a tag that a tracker carries goes on its trip', async (t) => {
    made += 1;
    const imei = imeiOf(9000 + made);
    await owner.client.createDevice({ body: { name: 'Van', imei, allowKeyless: true } });
    const tag = await owner.client.createDevice({ body: { name: 'Crate', serial: BEACON } });
    const tracker = await connectTracker(t, teltonika, imei, running.server.trackersPort);
    await tracker.logIn();
    const start = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;
    const hex = `11 01 ${BEACON.replace('-', '')} c4`.replaceAll(' ', '');
    const records = Array.from({ length: 60 }, (_, index) => ({
      timestamp: start + index * 10_000,
      lat: HOME.lat + index * 120 * M,
      lng: HOME.lng,
      altitudeM: 100,
      courseDeg: 0,
      sats: 9,
      speedKmh: 43,
      eventId: 385,
      io: [{ id: 385, hex, isVariable: true }],
    }));
    for (let from = 0; from < records.length; from += 10)
      tracker.say(tcpFrame(avlData(0x8e, records.slice(from, from + 10))));
    await tracker.confirmed(6);
    const trips = () => owner.client.listTrips({ id: tag.id, from: new Date(start).toISOString() });
    await eventually('it was on a trip', async () => (await trips()).length > 0);
    const [trip, ...more] = await trips();
    assert.deepEqual(more, []);
    assert.ok(trip!.distance > 6000 && trip!.distance < 7500, `${trip!.distance} m`);
  });

  test('what comes late corrects the position; a gateway that is deleted does not count any more', async () => {
    const tag = await makeTag(owner);
    const [south, north] = [await fixedGateway(owner, 'South', 0), await fixedGateway(owner, 'North', 100)];
    const at = Date.now() - 300_000;
    await receives(running.api, south, tag.btMac, -75, at);
    await eventually('it is placed', async () => (await positionsOf(owner, tag.id)).length > 0);
    const [before] = await positionsOf(owner, tag.id);
    await receives(running.api, north, tag.btMac, -60, at - 1000);
    const lat = async () => (await positionsOf(owner, tag.id))[0]!.location!.lat;
    await eventually('it is put right', async () => (await lat()) > before!.location!.lat + 50 * M);
    const [after, ...more] = await positionsOf(owner, tag.id);
    assert.deepEqual([after!.id, more.length], [before!.id, 0]);

    await owner.client.deleteDevice({ id: north.id });
    await receives(running.api, south, tag.btMac, -75, at + 20_000);
    await eventually('it is placed again', async () => (await positionsOf(owner, tag.id)).length > 1);
    const [, last] = await positionsOf(owner, tag.id);
    assert.ok(Math.abs(last!.location!.lat - HOME.lat) < M);
    const { gateways } = await owner.client.explainPoint({ id: tag.id, fk: last!.id });
    assert.deepEqual(
      gateways.map(({ gatewayId }) => gatewayId),
      [south.id],
    );
  });

  test('readings that somebody enters place a tag too, and their deletion takes the position away', async () => {
    const tag = await makeTag(owner);
    const gateway = await fixedGateway(owner, 'Desk', 0);
    const body = { type: 'ble_seen', value: -60, rssi: -60, deviceId: tag.id };
    const { id } = await owner.make(`/devices/${gateway.id}/gatewayReadings`, body);
    await eventually('it is placed', async () => (await positionsOf(owner, tag.id)).length > 0);
    assert.equal((await owner.delete(`/devices/${gateway.id}/gatewayReadings/${id}`)).status, 204);
    await eventually('it is gone', async () => (await positionsOf(owner, tag.id)).length === 0);
  });
});

placesOnBothEngines('a server that is killed', { migrations: [] }, (open) => {
  test('a tag that was received before the server died is placed once after it', async (t) => {
    const place = await open.migratedPlace(MIGRATIONS);
    const server = await startServer(open.storeKind, place);
    t.after(() => server.kill());
    const api = apiOf(server.address);
    t.after(() => api.close());
    const { owner } = await makeStation(api);
    const tag = await makeTag(owner);
    const gateway = await fixedGateway(owner, 'Dock', 0);
    await receives(api, gateway, tag.btMac, -60, Date.now());
    await server.kill();
    const next = await startServer(open.storeKind, place);
    t.after(() => next.kill());
    const again = apiOf(next.address);
    t.after(() => again.close());
    const read = async () =>
      (await again('GET', `/api/devices/${tag.id}/points`, { token: owner.token })).body as object[];
    await eventually('it is placed', async () => (await read()).length > 0);
    assert.equal((await read()).length, 1);
    await next.stop();
  });
});
