import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station, type Voice } from './harness/station.ts';

/**
 * The calls of the published clients, as they send them: ids as `6.0`, query values as JSON text, zones as a bare list.
 * Twelve devices, of which three are shared.
 */
onEitherEngine('published clients', (running) => {
  let station: Station;
  let owner: Voice;
  let ids: number[];
  let keys: string[];
  const VAN = 0;
  const at = Date.now() - 3_600_000;

  const report = async (index: number, body: object) => {
    const headers = { authorization: keys[index]! };
    const answer = await running.api('POST', '/ingest/reports', { headers, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const ok = async (asked: Promise<{ status: number; text: string; body: unknown }>) => {
    const answer = await asked;
    assert.equal(answer.status, 200, answer.text);
    // biome-ignore lint/suspicious/noExplicitAny: the contract check of every answer knows its type.
    return answer.body as any;
  };

  before(async () => {
    station = await makeStation(running.api);
    owner = station.owner;
    ids = [];
    keys = [];
    for (let index = 0; index < 12; index += 1) {
      // The last three belong to another, who shares them.
      const holder = index < 9 ? owner : station.other;
      const { id, deviceKey } = await holder.make('/devices', { name: `Van ${index}` });
      if (index >= 9) await holder.make(`/devices/${id}/shares`, { email: owner.email, right: 'view' });
      ids.push(id);
      keys.push(deviceKey);
      const points = Array.from({ length: 7 }, (_, n) => ({
        timestamp: at + n * 60_000,
        location: { lat: 48 + index / 100, lng: 11 + n / 1000 },
        accuracy: n === 6 ? 2000 : 8,
      }));
      await report(index, { points });
    }
  });

  test('a sign-in that asks for its user gets both', async () => {
    const body = { email: owner.email, password: owner.password };
    const answer = await ok(running.api('POST', '/api/users/login?include=user', { body }));
    assert.deepEqual([answer.userId, answer.user.id, answer.user.email], [owner.id, owner.id, owner.email]);
  });

  test('the fleet comes whole, own and shared, with its newest positions', async () => {
    for (const count of ['', '&pointCount=5.0', '&pointCount="5"']) {
      const fleet = await ok(owner.get(`/users/${owner.id}.0/getDeviceSummary?hideApprox=false${count}`));
      for (const id of ids) {
        const device = fleet.find((each: { id: number }) => each.id === id);
        const times = device.latestPoints.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp));
        assert.deepEqual(
          times,
          [6, 5, 4, 3, 2].map((n) => at + n * 60_000),
        );
        assert.equal(typeof device.config, 'object');
        assert.equal(device.latestPoints[0].deviceId, id);
      }
    }
    const range = encodeURIComponent(JSON.stringify([at, at + 90_000]));
    const [first] = await ok(owner.get(`/users/${owner.id}/getDeviceSummary?pointCount=1&dateRange=${range}`)).then(
      (fleet) => fleet.filter((each: { id: number }) => each.id === ids[VAN]),
    );
    assert.equal(Date.parse(first.latestPoints[0].timestamp), at + 60_000);
    const sure = await ok(owner.get(`/users/${owner.id}/getDeviceSummary?pointCount=1&hideApprox=true`));
    const sureVan = sure.find((each: { id: number }) => each.id === ids[VAN]);
    assert.equal(Date.parse(sureVan.latestPoints[0].timestamp), at + 5 * 60_000);
  });

  test('a stranger sees nothing of it', async () => {
    assert.equal((await station.other.get(`/users/${owner.id}/getDeviceSummary`)).status, 403);
    const fleet = await ok(station.other.get(`/users/${station.other.id}/getDeviceSummary`));
    assert.ok(!fleet.some((each: { id: number }) => each.id === ids[VAN]));
  });

  test('devices in a zone, by its id and by its type', async () => {
    const zone = await owner.make(`/users/${owner.id}/geofences`, {
      name: 'Depot',
      type: 'depot',
      center: { lat: 48, lng: 11.006 },
      radius: 300,
    });
    const nearest = (list: { id: number }[]) => list.map(({ id }) => id);
    const byId = `/users/${owner.id}/getDevicesInZone?zoneId=${zone.id}.0`;
    assert.deepEqual(nearest(await ok(owner.get(`${byId}&includeApprox=true`))), [ids[VAN]]);
    assert.deepEqual(nearest(await ok(owner.get(byId))), [], 'its newest position is approximate');
    const byType = `/users/${owner.id}/getDevicesInZone?zoneType="depot"&includeApprox="true"`;
    assert.deepEqual(nearest(await ok(owner.get(byType))), [ids[VAN]]);
    assert.equal((await owner.get(`/users/${owner.id}/getDevicesInZone`)).status, 400);
  });

  test('a safe zone is set by a bare list, sent to the device, and removed', async () => {
    const path = `/devices/${ids[1]}.0`;
    assert.equal((await owner.get(`${path}/getSafeZone`)).status, 404);
    const square = [
      { lat: 48, lng: 11 },
      { lat: 48, lng: 11.1 },
      { lat: 48.1, lng: 11.1 },
    ];
    const set = await ok(owner.post(`${path}/setSafeZone`, square));
    assert.deepEqual((await ok(owner.get(`${path}/getSafeZone`))).outline, set.outline);
    assert.ok((await report(1, {})).geofence, 'the device gets it with its next report');
    assert.equal(await ok(owner.post(`${path}/setSafeZone`, [])), null);
    assert.equal((await owner.get(`${path}/getSafeZone`)).status, 404);
  });

  test('flight mode and its record', async () => {
    const path = `/devices/${ids[2]}`;
    const made = await ok(owner.get(`${path}/flightMode?duration=1440.0`));
    assert.equal(made.duration, 1440);
    const filter = encodeURIComponent(JSON.stringify({ where: { sent: null }, order: 'triggeredAt DESC', limit: 1 }));
    assert.deepEqual(await ok(owner.get(`${path}/transients?filter=${filter}`)), [made]);
    assert.deepEqual(await ok(owner.get(`${path}/transients/${made.id}`)), made);
    assert.equal((await ok(owner.put(`${path}/transients/${made.id}`, { ...made, duration: 60 }))).duration, 60);
    assert.equal((await owner.delete(`${path}/transients/${made.id}`)).status, 204);
    assert.deepEqual((await report(2, {})).messages, [], 'the device never gets it');
  });

  test('what a gateway received, and the readings about one device', async () => {
    const timestamp = at + 1000;
    const sensorDeviceId = 'AA:BB:CC:00:11:22';
    const sighting = { type: 'temp', value: 4.5, rssi: -70, sensorDeviceId, timestamp, correlationId: 'c1' };
    await report(3, { gatewayReadings: [sighting] });
    const path = `/devices/${ids[3]}`;
    const range = encodeURIComponent(JSON.stringify([new Date(at).toISOString(), null]));
    for (const query of [`dateRange=${range}`, 'correlationId=c1', `correlationId="c1"&dateRange=${range}`]) {
      const [near] = await ok(owner.get(`${path}/nearbyDevices?${query}`));
      assert.deepEqual([near.device.id, near.device.btMacAddress], [0, sensorDeviceId.toLowerCase()]);
      assert.deepEqual(
        [near.readings.temp.value, near.readings.temp.timestamp, near.readings.temp.rssi],
        [4.5, timestamp, -70],
      );
    }
    const data = `${path}/nearbyDeviceData?nearbyId=${encodeURIComponent(`"${sensorDeviceId}"`)}&dateRange=${range}`;
    assert.deepEqual(
      (await ok(owner.get(data))).map(({ value }: { value: number }) => value),
      [4.5],
    );
  });

  test('an item of the meta is set alone, a bare text too', async () => {
    const path = `/devices/${ids[4]}`;
    assert.deepEqual(await ok(owner.get(`${path}/setMetaItem?key=colour&value=red%20as%20rust`)), { status: 'ok' });
    await ok(owner.get(`${path}/setMetaItem?key=seats&value=${encodeURIComponent('{"front":2}')}`));
    const { meta } = await ok(owner.get(path));
    assert.deepEqual([meta.colour, meta.seats], ['red as rust', { front: 2 }]);
  });
});
