import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import test, { before, beforeEach } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { encrypted } from '@trackway/server/edge/protocols/owntracks-secret.ts';
import { eventually } from '@trackway/server/testing/eventually.ts';
import { onBothEngines, STRICT_DEVICES } from './harness/engines.ts';
import { makeStation, type Voice } from './harness/station.ts';

const MINUTE_MS = 60_000;

onBothEngines(
  'devices report over HTTP',
  (running) => {
    let admin: Voice;
    let owner: Voice;
    let device: Awaited<ReturnType<Voice['client']['createDevice']>>;
    let startAt: number;

    before(async () => {
      ({ admin, owner } = await makeStation(running.api));
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
      assert.deepEqual(quarantined, [{ list: 'points', index: 1, reason: 'coordinates are missing or invalid' }]);
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

    test('coordinates are understood wherever they are, and what is not understood is never stored in silence', async () => {
      const flat = [
        { lat: 1, lng: 2 },
        { lat: '1', lon: '2' },
        { latitude: 1, longitude: 2 },
        { location: { latitude: 1, lon: 2 } },
      ];
      const said = await report({
        points: flat.map((point, minute) => ({ ...pointAt(minute), location: undefined, ...point })),
      });
      assert.deepEqual([said.status, said.body.accepted, said.body.quarantined], [200, 4, []]);
      const alone = await report({ lat: 1, lng: 2, timestamp: pointAt(9).timestamp, speed: 30 });
      assert.deepEqual([alone.status, alone.body.accepted], [200, 1]);
      const places = (await pointsOf()).map(({ location }) => location);
      assert.deepEqual(places, Array(5).fill({ lat: 1, lng: 2 }));

      const unknown = await report({
        points: [{ lat: 1 }, { latt: 1, lnng: 2, timestamp: pointAt(5).timestamp }, { lat: 'x', lng: 2 }],
      });
      assert.equal(unknown.body.accepted, 0);
      assert.deepEqual(
        unknown.body.quarantined.map(({ index }: { index: number }) => index),
        [0, 1, 2],
      );
      for (const body of [{ latt: 1, lnng: 2 }, { point: [pointAt(0)] }, { timestamp: pointAt(0).timestamp }]) {
        const refused = await report(body);
        assert.equal(refused.status, 400, JSON.stringify(body));
        assert.match(refused.body.error.message, /none of points, readings/);
      }
      assert.match((await report({ point: [] })).body.error.message, /Did you mean points\?/);
      // A device may ask for what waits for it.
      assert.equal((await report({})).status, 200);
      assert.equal((await pointsOf()).length, 5);
    });

    test('phones with OwnTracks show those of their owner and those shared with them, with a key and as long as they may', async () => {
      const { owner: mine, other } = await makeStation(running.api);
      const phone = (who: Voice, name: string, more = {}) => who.client.createDevice({ body: { name, ...more } });
      const [anna, ben, hidden] = [
        await phone(mine, 'Anna', { serial: `anna/${Math.random()}`, allowKeyless: true }),
        await phone(mine, 'Ben'),
        await phone(mine, 'Hidden', { meta: { friends: false } }),
      ];
      const theirs = await phone(other, 'Theirs');
      const place = { _type: 'location', lat: 50, lon: 8, acc: 5, tid: 'xx' };
      const submit = async ({ deviceKey }: { deviceKey?: string | null }) => {
        const body = { ...place, tst: Math.floor(Date.now() / 1000) };
        const { body: answer } = await running.api('POST', `/ingest/owntracks?key=${deviceKey}`, { body });
        return answer
          .filter(({ _type }: { _type: string }) => _type === 'card')
          .map(({ name }: { name: string }) => name);
      };
      assert.deepEqual(await submit(anna), []);
      assert.deepEqual(await submit(hidden), []);
      assert.deepEqual(await submit(theirs), []);
      // A device that is no phone.
      await report({ points: [pointAt(0)] }, (await phone(mine, 'Tracker')).deviceKey);
      assert.deepEqual(await submit(ben), ['Anna']);
      assert.deepEqual(await submit(anna), ['Ben']);
      const share = await other.client.createShare({ id: theirs.id, body: { email: mine.email } });
      assert.deepEqual((await submit(ben)).sort(), ['Anna', 'Theirs']);
      assert.deepEqual(await submit(theirs), [], 'the owner of the other phone may not see these');
      await other.client.deleteShare({ id: theirs.id, fk: share.id });
      assert.deepEqual(await submit(ben), ['Anna']);
      const group = await other.client.createDeviceGroup({ id: other.id, body: { name: 'Family' } });
      await other.client.addDeviceGroupDevices({ id: other.id, fk: group.id, body: { ids: [theirs.id] } });
      await other.client.createDeviceGroupShare({ id: other.id, fk: group.id, body: { email: mine.email } });
      assert.deepEqual((await submit(ben)).sort(), ['Anna', 'Theirs'], 'shared by a group');
      await other.client.deleteDeviceGroup({ id: other.id, fk: group.id });
      assert.deepEqual(await submit(ben), ['Anna']);
      const keyless = await running.api('POST', '/ingest/owntracks', {
        body: { ...place, tst: Math.floor(Date.now() / 1000) + 1, topic: `owntracks/${anna.serial}` },
      });
      assert.deepEqual([keyless.status, keyless.body], [200, []], 'the name alone gives no data');
    });

    test('a report may be compressed, up to the limit of what comes out', async () => {
      const send = (encoding: string, raw: Buffer, path = '/ingest/reports') =>
        running.api('POST', path, {
          token: device.deviceKey,
          raw,
          headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        });
      const ways = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync, deflate: deflateSync };
      for (const [index, [encoding, compress]] of Object.entries(ways).entries()) {
        const { status, body } = await send(encoding, compress(JSON.stringify({ points: [pointAt(index)] })));
        assert.deepEqual([status, body.accepted], [200, 1], encoding);
        const bomb = await send(encoding, compress(Buffer.alloc(20_000_000, ' ')));
        assert.equal(bomb.status, 413, encoding);
        assert.match(bomb.body.error.message, /at most \d+ bytes/);
        assert.equal((await send(encoding, Buffer.from('{"points": []}'))).status, 400, encoding);
      }
      const phone = JSON.stringify({ _type: 'location', lat: 1, lon: 2, tst: Math.floor(startAt / 1000) + 600 });
      assert.equal((await send('gzip', gzipSync(phone), `/ingest/owntracks/${device.deviceKey}`)).status, 200);
      assert.equal((await pointsOf()).length, 5);
      assert.equal((await send('compress', Buffer.from('x'))).status, 415);
      const refused = await report({}, 'no such key');
      assert.deepEqual([refused.status, refused.headers['www-authenticate']], [401, 'Bearer realm="Trackway"']);
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

    test('JSON that is nested too deeply is 400, wherever it is sent', async () => {
      const headers = { 'content-type': 'application/json' };
      const deep = (depth: number) => `${'{"points":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`;
      const send = (path: string, raw: string, token?: string) => running.api('POST', path, { token, raw, headers });
      for (const depth of [102, 5000]) {
        const body = deep(depth);
        const bodies = [body, `{"messages":[{"message":${body}}]}`, `{"points":[{"meta":${body}}]}`];
        for (const raw of bodies) assert.equal((await send('/ingest/reports', raw, device.deviceKey)).status, 400);
        assert.equal((await send('/api/devices', `{"name":"x","meta":${body}}`, owner.token)).status, 400);
        assert.equal((await send(`/ingest/overland/${device.deviceKey}`, body)).status, 400);
      }
      assert.notEqual((await send('/ingest/reports', deep(20), device.deviceKey)).status, 500);
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

    test('a gateway’s reading is linked to the device it received, and to where the gateway was', async () => {
      const tag = await owner.make('/devices', { name: 'tag', btMac: 'aa:bb:cc:dd:ee:01' });
      const here = { ...pointAt(0), timestamp: new Date(Date.now() - 2 * MINUTE_MS).toISOString() };
      const sighting = { type: 'temp', value: 4.5, sensorDeviceId: 'AA-BB-CC-DD-EE-01', rssi: -60 };
      assert.equal((await report({ points: [here], gatewayReadings: [sighting] })).body.accepted, 2);
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
      assert.ok(Array.isArray(sent[3]!.body), 'OwnTracks reads a list');
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
      assert.equal((await byIdentifier()).status, 404);
      await owner.put(`/devices/${device.id}`, { allowKeyless: true });
      assert.equal((await byIdentifier()).status, 200);
      assert.equal((await pointsOf()).length, 1);
    });

    test('a report to the address of the server alone is stored, or refused; the console is served there all the same', async () => {
      const { serial } = (await owner.get(`/devices/${device.id}`)).body;
      const at = (lat: number) => `id=${serial}&lat=${lat}&lon=8&timestamp=${startAt + lat}`;
      const get = (query: string) => fetch(`${running.api.address}/?${query}`, { headers: { accept: 'text/html' } });
      const post = (body: string | URLSearchParams, headers = {}) =>
        fetch(`${running.api.address}/`, { method: 'POST', body, headers });
      assert.equal((await get(at(1))).status, 404);
      const { body: unknown } = await admin.get('/unknownTrackers');
      assert.ok(
        unknown.some(
          (one: { protocol: string; identity: string }) => one.protocol === 'osmand' && one.identity === serial,
        ),
      );
      assert.deepEqual(await pointsOf(), []);

      await owner.put(`/devices/${device.id}`, { allowKeyless: true });
      assert.equal((await get(at(1))).status, 200);
      assert.equal((await get(at(2).replace('id=', 'deviceid='))).status, 200);
      assert.equal((await post(new URLSearchParams(at(3)))).status, 200);
      const json = { device_id: serial, location: { timestamp: startAt, coords: { latitude: 4, longitude: 8 } } };
      assert.equal((await post(JSON.stringify(json), { 'content-type': 'application/json' })).status, 200);
      assert.equal((await fetch(`${running.api.address}/?${at(5)}`, { method: 'POST' })).status, 200);
      const places = (await pointsOf()).map(({ location }) => location?.lat);
      assert.deepEqual(places.sort(), [1, 2, 3, 4, 5]);
      assert.equal((await post('x')).status, 400);
      // Nothing says whose position this is.
      assert.equal((await get('lat=50&lon=8')).status, 400);
      const page = await fetch(`${running.api.address}/`, { headers: { accept: 'text/html' } });
      assert.match(page.headers.get('content-type')!, /text\/html/);
    });

    test('a port for trackers takes the same reports by HTTP, and serves nothing else', async () => {
      const { serial } = (await owner.get(`/devices/${device.id}`)).body;
      const base = `http://127.0.0.1:${running.server.trackersPort}`;
      const at = (lat: number) => `id=${serial}&lat=${lat}&lon=8&timestamp=${startAt + lat}`;
      assert.equal((await fetch(`${base}/?${at(1)}`)).status, 404);
      const { body: unknown } = await admin.get('/unknownTrackers');
      assert.ok(unknown.some((one: { identity: string }) => one.identity === serial));

      await owner.put(`/devices/${device.id}`, { allowKeyless: true });
      assert.equal((await fetch(`${base}/?${at(1)}`)).status, 200);
      assert.equal((await fetch(base, { method: 'POST', body: new URLSearchParams(at(2)) })).status, 200);
      const json = { device_id: serial, location: { timestamp: startAt, coords: { latitude: 3, longitude: 8 } } };
      assert.equal((await fetch(base, { method: 'POST', body: JSON.stringify(json) })).status, 200);
      const path = `/ingest/osmand/${device.deviceKey}?lat=4&lon=8&timestamp=${startAt + 4}`;
      assert.equal((await fetch(base + path)).status, 200);
      // Two requests on one connection that arrive in small parts.
      const socket = connect(running.server.trackersPort, '127.0.0.1');
      let answers = '';
      socket.setNoDelay(true).on('data', (bytes) => (answers += bytes));
      for (const byte of [5, 6].map((lat) => `GET /?${at(lat)} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')) {
        socket.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await eventually('both are answered', () => answers.match(/^HTTP\/1\.1 200 /gm)?.length === 2);
      socket.destroy();
      const places = (await pointsOf()).map(({ location }) => location?.lat);
      assert.deepEqual(places.sort(), [1, 2, 3, 4, 5, 6]);

      for (const other of ['/', '/?lat=1&lon=2', '/api/users/me', '/docs', '/healthz', '/api/live']) {
        const answer = await fetch(base + other, { headers: { accept: 'text/html' } });
        assert.ok([400, 404].includes(answer.status), `${other}: ${answer.status}`);
      }
      const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      const refused = request(`${base}/api/live`, {
        headers: { ...upgrade, 'sec-websocket-key': 'x'.repeat(24) },
      }).end();
      const [response] = await once(refused, 'response');
      assert.equal(response.statusCode, 404);
      response.resume();
    });

    test('a phone’s position that can’t be right is answered 2xx, since its queue would stop for good', async () => {
      const answer = await running.api('GET', `/ingest/osmand/${device.deviceKey}?id=1&lat=95&lon=8`);
      assert.equal(answer.status, 200);
      assert.deepEqual(await pointsOf(), []);
      assert.equal((await owner.get(`/devices/${device.id}/quarantine/count`)).body.count, 1);
    });
  },
  STRICT_DEVICES,
);
