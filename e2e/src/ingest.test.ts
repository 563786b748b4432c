import assert from 'node:assert/strict';
import test, { before, beforeEach } from 'node:test';
import { encrypted } from '@trackway/server/edge/protocols/owntracks-secret.ts';
import { onBothEngines, STRICT_SLOTS } from './harness/engines.ts';
import { makeStation, type Voice } from './harness/station.ts';

const MINUTE_MS = 60_000;

onBothEngines(
  'devices report over HTTP',
  (running) => {
    let owner: Voice;
    let device: Awaited<ReturnType<Voice['client']['createDevice']>>;
    let startAt: number;

    before(async () => {
      ({ owner } = await makeStation(running.api));
    });
    beforeEach(async () => {
      device = await owner.client.createDevice({ body: { name: 'van', serial: `serial-${Math.random()}` } });
      startAt = Date.now() - 30 * MINUTE_MS;
    });

    const report = (body: unknown, token = device.deviceKey) => running.api('POST', '/ingest/reports', { token, body });
    const pointAt = (minute: number, lat = 50) => ({
      timestamp: new Date(startAt + minute * MINUTE_MS).toISOString(),
      location: { lat, lng: 8 },
    });
    const pointsOf = () => owner.client.listPoints({ id: device.id });

    test('what is good is kept, what is said again is known, what can’t be right is set aside', async () => {
      const good = [pointAt(0), pointAt(1)];
      const bad = { ...pointAt(2), location: { lat: 91, lng: 8 } };
      const first = await report({ points: [good[0], bad, good[1]], readings: [{ type: 'temp', value: 21 }] });
      assert.equal(first.status, 200, first.text);
      const { accepted, duplicates, quarantined, messages } = first.body;
      assert.deepEqual({ accepted, duplicates, messages }, { accepted: 3, duplicates: 0, messages: [] });
      assert.deepEqual(quarantined, [
        { list: 'points', index: 1, reason: 'coordinates are missing, not finite or out of range' },
      ]);
      assert.deepEqual((await report({ points: [good[1], pointAt(3)] })).body, {
        accepted: 1,
        duplicates: 1,
        quarantined: [],
        messages: [],
      });
      assert.equal((await pointsOf()).length, 3);
      const [kept] = (await owner.get(`/devices/${device.id}/quarantine`)).body;
      assert.deepEqual(kept.report.location, bad.location);
      assert.equal((await owner.get(`/devices/${device.id}/readings/count`)).body.count, 1);
    });

    test('a wrong key, one that was changed and one of a device that is gone are 401 and leave nothing behind', async () => {
      const said = { points: [pointAt(0)] };
      assert.equal((await report(said, 'no such key')).status, 401);
      assert.equal((await running.api('POST', '/ingest/reports', { body: said })).status, 401);
      assert.equal((await report(said)).status, 200);
      const { deviceKey } = await owner.make(`/devices/${device.id}/key`);
      // The server has just seen the old key: it must now refuse both valid and invalid reports with it.
      assert.equal((await report({ points: 'no list' })).status, 401);
      assert.equal((await report({ points: [pointAt(1)] })).status, 401);
      assert.equal((await report({ points: 'no list' }, deviceKey)).status, 400);
      assert.equal((await report({ points: [pointAt(2)] }, deviceKey)).status, 200);
      assert.equal((await pointsOf()).length, 2);
      await owner.delete(`/devices/${device.id}`);
      assert.equal((await report({ points: [pointAt(3)] }, deviceKey)).status, 401);
    });

    test('more than fits into a report is 413, and nothing of it is kept', async () => {
      const many = Array.from({ length: 5001 }, (_, index) => ({
        timestamp: startAt + index,
        location: { lat: 1, lng: 2 },
      }));
      assert.equal((await report({ points: many })).status, 413);
      assert.equal((await report({ readings: [{ type: 'note', value: 'x'.repeat(1_100_000) }] })).status, 413);
      assert.deepEqual(await pointsOf(), []);
    });

    test('the answer brings what waits until it is confirmed, and a change in between waits on', async () => {
      await owner.put(`/devices/${device.id}/config`, { interval: 60 });
      const [one, two] = [
        await owner.make(`/devices/${device.id}/messages`, { message: 'first' }),
        await owner.make(`/devices/${device.id}/messages`, { message: 'second' }),
      ];
      const { body: waiting } = await report({});
      assert.equal(waiting.config.interval, 60);
      assert.deepEqual(
        waiting.messages.map(({ id }: { id: number }) => id),
        [one.id, two.id],
      );
      await owner.put(`/devices/${device.id}/config`, { interval: 90 });
      const taken = { messages: [one.id], config: waiting.config.modified };
      const { body: still } = await report({ taken, currentFW: '1.2.3' });
      assert.equal(still.config.interval, 90);
      assert.deepEqual(
        still.messages.map(({ id }: { id: number }) => id),
        [two.id],
      );
      const { body: nothing } = await report({ taken: { messages: [two.id], config: still.config.modified } });
      assert.deepEqual(nothing, { accepted: 0, duplicates: 0, quarantined: [], messages: [] });
      const { body: config } = await owner.get(`/devices/${device.id}/config`);
      assert.equal(config.modified, null);
      assert.equal(config.currentFW, '1.2.3');
    });

    test('a safe zone waits while it is modified', async () => {
      const circle = { name: 'home', center: { lat: 50, lng: 8 }, radius: 100, deviceId: device.id };
      const zone = await owner.make(`/users/${owner.id}/geofences`, circle);
      await owner.put(`/devices/${device.id}/config`, { safeZoneId: zone.id });
      const { body: waiting } = await report({});
      assert.equal(waiting.geofence?.id, zone.id);
      const { body: after } = await report({ taken: { geofence: zone.id, config: waiting.config.modified } });
      assert.equal(after.geofence, undefined);
    });

    test('a gateway’s reading is linked to the device it heard, and to where the gateway was', async () => {
      const tag = await owner.make('/devices', { name: 'tag', btMac: 'aa:bb:cc:dd:ee:01' });
      const here = { ...pointAt(0), timestamp: new Date(Date.now() - 2 * MINUTE_MS).toISOString() };
      const heard = { type: 'temp', value: 4.5, sensorDeviceId: 'AA-BB-CC-DD-EE-01', rssi: -60 };
      assert.equal((await report({ points: [here], gatewayReadings: [heard] })).body.accepted, 2);
      const [reading] = (await owner.get(`/devices/${device.id}/gatewayReadings`)).body;
      assert.equal(reading.deviceId, tag.id);
      assert.equal(typeof reading.datapointId, 'number');
    });

    test('phone apps report as they do elsewhere', async () => {
      const { deviceKey: key } = device;
      const seconds = Math.floor(startAt / 1000);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const json = { 'content-type': 'application/json' };
      const position = {
        timestamp: new Date(startAt + 3 * MINUTE_MS).toISOString(),
        coords: { latitude: 50.3, longitude: 8, speed: 10 },
      };
      const sent = [
        await running.api('GET', `/ingest/osmand/${key}?id=1&lat=50.1&lon=8&timestamp=${seconds + 60}`),
        await running.api('POST', `/ingest/osmand/${key}`, {
          raw: `id=1&lat=50.2&lon=8&timestamp=${seconds + 120}&speed=10.00`,
          headers: form,
        }),
        await running.api('POST', `/ingest/osmand/${key}`, {
          raw: JSON.stringify({ device_id: '1', location: position }),
          headers: json,
        }),
        await running.api('POST', '/ingest/owntracks', {
          raw: JSON.stringify({ _type: 'location', lat: 50.4, lon: 8, tst: seconds + 240, vel: 36 }),
          headers: { ...json, authorization: `Basic ${Buffer.from(`me:${key}`).toString('base64')}` },
        }),
      ];
      assert.deepEqual(
        sent.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      assert.equal(sent[0]!.text, '');
      assert.deepEqual(sent[3]!.body, []);
      const points = await owner.client.listPoints({ id: device.id, filter: { order: 'timestamp ASC' } });
      assert.deepEqual(
        points.map(({ location, speed }) => [location!.lat, speed && Math.round(speed)]),
        [
          [50.1, null],
          [50.2, 19],
          [50.3, 36],
          [50.4, 36],
        ],
      );
    });

    test('an encrypted phone is decrypted with its secret, and until then says why nothing is seen', async () => {
      const at = Math.floor(startAt / 1000);
      const phone = (lat: number, secret: string) =>
        running.api('POST', `/ingest/owntracks/${device.deviceKey}`, {
          raw: JSON.stringify(encrypted({ _type: 'location', lat, lon: 8, tst: at + 60 }, secret)),
          headers: { 'content-type': 'application/json' },
        });
      const reasons = async () =>
        (await owner.get(`/devices/${device.id}/quarantine?filter[order]=id%20ASC`)).body.map(
          ({ reason }: { reason: string }) => reason,
        );
      const before = (await reasons()).length;
      assert.equal((await phone(50.1, 's3cret')).status, 200);
      assert.equal((await owner.put(`/devices/${device.id}/secret`, { secret: 'other' })).status, 200);
      assert.deepEqual([(await phone(50.2, 's3cret')).status, (await pointsOf()).length], [200, 0]);
      assert.deepEqual((await reasons()).slice(before), [
        'encrypted: set the device’s OwnTracks secret',
        'encrypted with another secret: set the device’s OwnTracks secret to that of the app',
      ]);
      assert.equal((await owner.put(`/devices/${device.id}/secret`, { secret: 's3cret' })).status, 200);
      const { status, body } = await phone(50.3, 's3cret');
      assert.deepEqual([status, body._type], [200, 'encrypted']);
      assert.deepEqual(
        (await pointsOf()).map(({ location }) => location),
        [{ lat: 50.3, lng: 8 }],
      );
    });

    test('an identifier alone opens nothing, until the owner allows it', async () => {
      const { serial } = (await owner.get(`/devices/${device.id}`)).body;
      // A phone gets its answer in plain text.
      const byIdentifier = () => fetch(`${running.api.address}/ingest/osmand?id=${serial}&lat=50&lon=8`);
      assert.equal((await byIdentifier()).status, 400);
      await owner.put(`/devices/${device.id}`, { allowKeyless: true });
      assert.equal((await byIdentifier()).status, 200);
      assert.equal((await pointsOf()).length, 1);
    });

    test('a phone’s position that can’t be right is answered 2xx, since its queue would stop for good', async () => {
      const answer = await running.api('GET', `/ingest/osmand/${device.deviceKey}?id=1&lat=95&lon=8`);
      assert.equal(answer.status, 200);
      assert.deepEqual(await pointsOf(), []);
      assert.equal((await owner.get(`/devices/${device.id}/quarantine/count`)).body.count, 1);
    });
  },
  STRICT_SLOTS,
);
