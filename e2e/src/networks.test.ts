import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { before } from 'node:test';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { h02 } from '@trackway/simulator/trackers/h02.ts';
import { jt808 } from '@trackway/simulator/trackers/jt808.ts';
import { teltonika } from '@trackway/simulator/trackers/teltonika.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station, type Voice } from './harness/station.ts';

/** Networks post what devices say, with a token of whom the devices belong to. */

const pointAt = (timestamp: number) =>
  ({ timestamp, location: { lat: 46.5, lng: 11.3 }, speed: 0, batteryPct: 80, locationType: 'gps', mode: 0 }) as const;

/** The same records as over TCP, in a datagram. */
function teltonikaDatagram(imei: string, at: number): Buffer {
  const records = teltonika.report(imei, [pointAt(at)], 1).subarray(8, -4);
  const head = Buffer.from([0xca, 0xfe, 0x01, 0x05, 0, imei.length]);
  const remaining = Buffer.concat([head, Buffer.from(imei, 'latin1'), records]);
  return Buffer.concat([Buffer.from([remaining.length >> 8, remaining.length & 0xff]), remaining]);
}

let made = 0;
const newEui = () => `70B3D57ED0${(++made).toString(16).padStart(6, '0')}`.toUpperCase();

onEitherEngine(
  'networks post for devices',
  (running) => {
    let station: Station;
    let owner: Voice;
    let token: string;

    before(async () => {
      station = await makeStation(running.api);
      owner = station.owner;
      token = await limited(owner, { access: 'ingest' });
    });

    async function limited(voice: Voice, limits: object): Promise<string> {
      const { status, body, text } = await running.api('POST', '/v2/users/personalAccessTokens', {
        token: voice.token,
        body: { description: 'network', ...limits },
      });
      assert.equal(status, 200, text);
      return body.token;
    }

    const add = (serial: string, more: object = {}) =>
      owner.client.createDevice({ body: { name: serial, serial, ...more } });
    const post = (path: string, body: unknown, as: string | undefined = token) =>
      running.api('POST', `/ingest/${path}`, { token: as, body });
    const pointsOf = (id: number) => owner.client.listPoints({ id, filter: { order: 'timestamp ASC' } });
    const readingsOf = async (id: number): Promise<{ type: string; value: unknown; [name: string]: unknown }[]> =>
      (await owner.get(`/devices/${id}/readings`)).body;
    const valuesOf = async (id: number) =>
      Object.fromEntries((await readingsOf(id)).map(({ type, value }) => [type, value]));
    const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

    const ttsUplink = (devEui: string, fCnt: number, message: object = {}) => ({
      end_device_ids: { device_id: 'probe', dev_eui: devEui, dev_addr: '260B1234' },
      received_at: secondsAgo(0),
      uplink_message: { f_cnt: fCnt, f_port: 2, received_at: secondsAgo(30), ...message },
    });

    test('an uplink of The Things Stack is a position and readings of the device with that DevEUI', async () => {
      const eui = newEui();
      const device = await add(eui);
      const answer = await post(
        'tts',
        ttsUplink(eui.toLowerCase(), 1, {
          frm_payload: '3q2+7w==',
          decoded_payload: { latitude: 46.5, longitude: 11.3, TempC_SHT: 4.5, battery: 81 },
        }),
      );
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body, { accepted: 4, duplicates: 0, quarantined: [], gateways: 0 });
      const [point] = await pointsOf(device.id);
      assert.deepEqual(
        [point!.location, point!.locationType, point!.batteryPct],
        [{ lat: 46.5, lng: 11.3 }, 'gps', 81],
      );
      assert.deepEqual(await valuesOf(device.id), { lora_payload: 'DEADBEEF', temp: 4.5, battery: 81 });
    });

    test('a serial number in small letters is found too', async () => {
      const eui = newEui();
      const device = await add(eui.toLowerCase());
      assert.equal((await post('tts', ttsUplink(eui, 1, { frm_payload: 'AWcA4Q==' }))).body.accepted, 2);
      assert.equal((await valuesOf(device.id)).temp, 22.5);
    });

    test('a frame that is sent again is recognised, whenever it is sent', async () => {
      const eui = newEui();
      const device = await add(eui);
      const at = Date.now();
      const said = (receivedAt: number, fCnt = 7) =>
        ttsUplink(eui, fCnt, { frm_payload: 'AWcA4Q==', received_at: new Date(receivedAt).toISOString() });
      // Both within one hour.
      const start = at - (at % 3_600_000 < 10_000 ? 20_000 : 5_000);
      assert.equal((await post('tts', said(start))).body.accepted, 2);
      assert.deepEqual((await post('tts', said(start))).body.duplicates, 2);
      assert.deepEqual((await post('tts', said(start + 1000))).body.duplicates, 2);
      assert.equal((await post('tts', said(start + 2000, 8))).body.accepted, 2);
      assert.equal((await readingsOf(device.id)).length, 4);
    });

    test('after an uplink a message goes down by The Things Stack’s own address, once', async (t) => {
      const arrived: { key: string | undefined; body: { downlinks: { f_port: number; frm_payload: string }[] } }[] = [];
      let status = 500;
      const network = createServer(async (request, response) => {
        const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
        arrived.push({ key: request.headers.authorization, body });
        response.writeHead(status).end();
      });
      await once(network.listen(0, '127.0.0.1'), 'listening');
      t.after(() => network.close());
      const eui = newEui();
      const device = await add(eui);
      const text = await owner.make(`/devices/${device.id}/messages`, { message: 'hello' });
      const bytes = await owner.make(`/devices/${device.id}/messages`, { message: '15:0A0b' });
      const headers = {
        'content-type': 'application/json',
        'x-downlink-push': `http://127.0.0.1:${(network.address() as AddressInfo).port}/down/push`,
        'x-downlink-apikey': 'NNSXS.key',
      };
      const uplink = (fCnt: number) =>
        running.api('POST', '/ingest/tts', {
          token,
          headers,
          raw: JSON.stringify(ttsUplink(eui, fCnt, { frm_payload: '3q2+7w==' })),
        });
      const sent = async (id: number) =>
        (await owner.get(`/devices/${device.id}/messages`)).body.find((one: { id: number }) => one.id === id).sent;
      assert.equal((await uplink(1)).status, 200);
      await eventually('the network is called', async () => arrived.length === 1);
      assert.equal(await sent(bytes.id), null, 'it was not taken');
      status = 200;
      await eventually('it is called again after another uplink', async () => {
        await uplink(arrived.length + 1);
        return (await sent(bytes.id)) !== null;
      });
      const count = arrived.length;
      const { key, body } = arrived.at(-1)!;
      assert.equal(key, 'Bearer NNSXS.key');
      assert.deepEqual([body.downlinks[0]!.f_port, body.downlinks[0]!.frm_payload], [15, 'Cgs=']);
      assert.equal((await uplink(50)).status, 200);
      assert.equal(await sent(text.id), null, 'a text is no downlink');
      assert.equal(arrived.length, count);
    });

    test('ChirpStack: uplinks, status and places', async () => {
      const eui = newEui();
      const device = await add(eui);
      const base = { time: secondsAgo(20), deviceInfo: { devEui: eui.toLowerCase() } };
      const up = { ...base, deduplicationId: `up-${eui}`, fCnt: 3, fPort: 1, data: 'AWcA4Q==' };
      assert.equal((await post('chirpstack?event=up', up)).body.accepted, 2);
      assert.equal((await post('chirpstack?event=up', up)).body.duplicates, 2);
      assert.equal((await post('chirpstack?event=status', { ...base, margin: 9, batteryLevel: 66 })).body.accepted, 3);
      const location = { latitude: 46.5, longitude: 11.3, accuracy: 900, source: 'GEO_RESOLVER_TDOA' };
      assert.equal((await post('chirpstack?event=location', { ...base, location })).body.accepted, 1);
      const placed = (await pointsOf(device.id)).find(({ location: place }) => place !== null)!;
      assert.deepEqual([placed.locationType, placed.accuracy], ['gsm', 900]);
      const values = await valuesOf(device.id);
      assert.deepEqual([values.temp, values.battery], [22.5, 66]);
    });

    test('a gateway of the same user receives the device; one of another user does not', async () => {
      const [eui, ours, theirs] = [newEui(), newEui(), newEui()];
      const device = await add(eui);
      const gateway = await add(ours);
      const foreign = await station.other.client.createDevice({ body: { name: 'roof', serial: theirs } });
      const rxInfo = [
        { gatewayId: ours.toLowerCase(), rssi: -57, snr: 9.5 },
        { gatewayId: theirs.toLowerCase(), rssi: -99, snr: 1 },
      ];
      const up = {
        time: secondsAgo(20),
        deviceInfo: { devEui: eui },
        deduplicationId: eui,
        fCnt: 1,
        data: '3q2+7w==',
        rxInfo,
      };
      assert.deepEqual((await post('chirpstack?event=up', up)).body.gateways, 1);
      assert.deepEqual((await post('chirpstack?event=up', up)).body.gateways, 1);
      const sightings = (await owner.get(`/devices/${gateway.id}/gatewayReadings`)).body;
      assert.equal(sightings.length, 1);
      assert.deepEqual(
        [sightings[0].type, sightings[0].rssi, sightings[0].value],
        ['lora_seen', -57, { rssi: -57, snr: 9.5 }],
      );
      assert.deepEqual([sightings[0].gatewayId, sightings[0].deviceId], [gateway.id, device.id]);
      assert.deepEqual((await station.other.get(`/devices/${foreign.id}/gatewayReadings`)).body, []);
      const payload = (await readingsOf(device.id)).find(({ type }) => type === 'lora_payload')!;
      assert.deepEqual((payload.meta as { gateways: object[] }).gateways.length, 2);
    });

    test('nobody’s token reaches devices of others, not even of an admin or of one it is shared with', async () => {
      const eui = newEui();
      const device = await add(eui);
      await owner.make(`/devices/${device.id}/shares`, { email: station.other.email, rights: 'manage' });
      for (const [index, voice] of [station.other, station.admin].entries())
        for (const [path, body] of Object.entries({
          tts: ttsUplink(eui, index, { frm_payload: 'AWcA4Q==' }),
          'chirpstack?event=up': { deviceInfo: { devEui: eui }, fCnt: index, data: 'AWcA4Q==' },
          'raw/h02': { data: 'AA==', device: eui },
        })) {
          const answer = await post(path, body, voice.token);
          assert.ok(answer.status === 200 || answer.status === 204, answer.text);
          assert.equal(answer.body?.accepted ?? 0, 0);
        }
      assert.deepEqual(await readingsOf(device.id), []);
      const elsewhere = await limited(owner, { access: 'ingest', deviceIds: [station.device] });
      const narrow = await post('tts', ttsUplink(eui, 9, { frm_payload: 'AWcA4Q==' }), elsewhere);
      assert.match(narrow.body.ignored, /none of your devices/);
      assert.deepEqual(await readingsOf(device.id), []);
    });

    test('no token and a wrong one are 401, one that may only read is 403, and nothing is stored', async () => {
      const eui = newEui();
      const device = await add(eui);
      const reading = await limited(owner, { access: 'read' });
      const places = await limited(owner, { families: ['positions'] });
      for (const path of ['tts', 'chirpstack?event=up', 'sigfox', 'raw/teltonika']) {
        const body = ttsUplink(eui, 1, { frm_payload: 'AWcA4Q==' });
        assert.equal((await running.api('POST', `/ingest/${path}`, { body })).status, 401, path);
        assert.equal((await post(path, body, 'no such token')).status, 401, path);
        assert.equal((await post(path, body, device.deviceKey!)).status, 401, path);
        assert.equal((await post(path, body, reading)).status, 403, path);
        assert.equal((await post(path, body, places)).status, 403, path);
      }
      assert.equal((await running.api('GET', `/ingest/sigfox?device=1&access_token=${token}`)).status, 401);
      assert.deepEqual(await readingsOf(device.id), []);
      const basic = `Basic ${Buffer.from(`network:${token}`).toString('base64')}`;
      for (const written of [`Bearer ${token}`, basic, owner.token])
        assert.equal((await post('tts', ttsUplink(eui, 2, { frm_payload: 'AWcA4Q==' }), written)).status, 200);
    });

    test('what can’t be used is answered 200 with the reason; what can’t be true is quarantined', async () => {
      const eui = newEui();
      const device = await add(eui);
      for (const [path, body, reason] of [
        ['tts', { hello: 1 }, /does not identify a device/],
        ['tts', ttsUplink('0000000000000001', 1), /none of your devices has the serial number 0000000000000001/],
        ['tts', { end_device_ids: { dev_eui: eui }, service_data: {} }, /not an uplink/],
        ['chirpstack?event=up', { applicationID: '1', devEUI: 'cLPVftABKrw=' }, /ChirpStack 3/],
        ['chirpstack?event=integration', { deviceInfo: { devEui: eui } }, /not used/],
        ['sigfox', {}, /does not identify a device/],
      ] as const) {
        const answer = await post(path, body);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.body.accepted, 0);
        assert.match(answer.body.ignored, reason);
      }
      const { admin } = station;
      const noted = (await admin.get('/undecoded-frames')).body.filter(
        ({ protocol }: { protocol: string }) => protocol === 'tts',
      );
      assert.ok(
        noted.some(({ problem }: { problem: string }) => problem === `user ${owner.id} has no device of this name`),
      );
      const unknownTrackers: { protocol: string }[] = (await admin.get('/unknownTrackers')).body;
      assert.deepEqual(unknownTrackers, [], 'to take one in would let a device report by its name alone');
      const garbage = await running.api('POST', '/ingest/tts', {
        token,
        raw: '{{{',
        headers: { 'content-type': 'application/json' },
      });
      assert.match(garbage.body.ignored, /not (?:a )?JSON/);
      const wrong = await post('tts', ttsUplink(eui, 1, { decoded_payload: { lat: 91, lon: 8 } }));
      assert.equal(wrong.body.quarantined.length, 1, wrong.text);
      assert.equal((await owner.get(`/devices/${device.id}/quarantine`)).body.length, 1);
      await owner.client.updateDevice({ id: device.id, body: { active: false } });
      const inactive = await post('tts', ttsUplink(eui, 2, { frm_payload: 'AA==' }));
      assert.deepEqual([inactive.status, inactive.body.ignored], [200, 'the device is inactive']);
    });

    test('a body that is too large is 413', async () => {
      const raw = JSON.stringify({ x: 'y'.repeat(300_000) });
      for (const path of ['tts', 'raw/h02'])
        assert.equal((await running.api('POST', `/ingest/${path}`, { token, raw })).status, 413);
    });

    test('Sigfox: by query or JSON, the place comes later, and a device that asks gets a message', async () => {
      const id = `C0FFE${(++made).toString(16)}`.toUpperCase();
      const device = await add(id);
      const time = Math.floor(Date.now() / 1000) - 60;
      const query = `device=00${id}&time=${time}&seqNumber=5&data=0a1b&rssi=-120.00`;
      const first = await running.api('GET', `/ingest/sigfox?${query}`, { token });
      assert.deepEqual([first.status, first.body.accepted], [200, 1], first.text);
      const computedLocation = { lat: 46.5, lng: 11.3, radius: 3100, source: 2, status: 1 };
      const advanced = await post('sigfox', {
        device: id,
        time: String(time),
        data: '0a1b',
        seqNumber: '5',
        computedLocation,
      });
      assert.deepEqual([advanced.body.accepted, advanced.body.duplicates], [1, 1]);
      const [point] = await pointsOf(device.id);
      assert.deepEqual([point!.locationType, point!.accuracy], ['gsm', 3100]);
      assert.deepEqual(await valuesOf(device.id), { sigfox_payload: '0A1B' });

      const asking = (seqNumber: number) =>
        post('sigfox', { device: id, time: time + seqNumber, data: '00', seqNumber, ack: true });
      assert.equal((await asking(6)).status, 204);
      const message = await owner.make(`/devices/${device.id}/messages`, { message: '0011223344556677' });
      const answer = await asking(7);
      assert.deepEqual([answer.status, answer.body], [200, { [id]: { downlinkData: '0011223344556677' } }]);
      assert.equal((await asking(8)).status, 204, 'it goes down once');
      const messages = (await owner.get(`/devices/${device.id}/messages`)).body;
      assert.notEqual(messages.find(({ id: one }: { id: number }) => one === message.id).sent, null);
    });

    for (const [name, voice] of Object.entries({ gt06, h02, jt808 }))
      test(`what ${name} sends over a connection can be posted, with the login or with the name of the device`, async () => {
        const imei = imeiOf(9500 + ++made);
        const named = name === 'jt808' ? imei.slice(-12) : imei;
        const device = await owner.client.createDevice({ body: { name: 'tracker', imei, serial: named } });
        const at = Math.floor(Date.now() / 1000) * 1000 - 600_000;
        const headers = { 'content-type': 'application/octet-stream' };
        const raw = (bytes: Buffer, more: object = {}) =>
          running.api('POST', `/ingest/raw/${name}`, { token, raw: bytes, headers: { ...headers, ...more } });
        const login = voice.login?.(named) ?? Buffer.alloc(0);
        const whole = await raw(Buffer.concat([login, voice.report(named, [pointAt(at)], 2)]));
        assert.ok(whole.status < 300, whole.text);
        if (voice.isConfirmed) assert.ok(whole.text.length > 0);
        await raw(voice.report(named, [pointAt(at + 60_000)], 3), { 'x-imei': imei });
        assert.deepEqual(
          (await pointsOf(device.id)).map(({ timestamp }) => Date.parse(timestamp)),
          [at, at + 60_000],
        );
      });

    test('a frame of a tracker is stored and answered in its protocol, by SIM card or by what the frame says', async () => {
      const imei = imeiOf(9000 + ++made);
      const iccid = `89882280666${String(++made).padStart(8, '0')}`;
      const device = await owner.client.createDevice({ body: { name: 'tracker', imei, iccid } });
      const at = Math.floor(Date.now() / 1000) * 1000 - 600_000;
      const frame = teltonikaDatagram(imei, at);
      const answer = await running.api('POST', '/ingest/raw/teltonika', {
        token,
        raw: frame,
        headers: { 'content-type': 'application/octet-stream' },
      });
      assert.equal(answer.status, 200, answer.headers['x-report-ignored'] as string);
      assert.equal(answer.headers['content-type'], 'application/octet-stream');
      assert.equal((await pointsOf(device.id)).length, 1);
      for (const body of [
        { data: frame.toString('base64'), device: { id: iccid } },
        { data: frame.toString('hex'), iccid },
        { payload: { type: 'BINARY', value: frame.toString('base64') } },
      ])
        assert.equal((await post('raw/teltonika', body)).status, 200);
      const bySim = await running.api('POST', '/ingest/raw/teltonika', {
        token,
        raw: teltonikaDatagram(imeiOf(8000), at + 60_000),
        headers: { 'content-type': 'application/octet-stream', 'x-iccid': iccid },
      });
      assert.equal(bySim.status, 200);
      assert.deepEqual(
        (await pointsOf(device.id)).map(({ timestamp }) => Date.parse(timestamp)),
        [at, at + 60_000],
      );
      const overTcp = Buffer.concat([teltonika.login!(imei), teltonika.report(imei, [pointAt(at + 120_000)], 1)]);
      const stream = await post('raw/teltonika', { data: overTcp.toString('base64') });
      assert.equal(stream.text, '\u0001\0\0\0\u0001');
      assert.equal((await pointsOf(device.id)).length, 3);
      const unknown = await post('raw/teltonika', { data: teltonikaDatagram(imeiOf(7999), at).toString('base64') });
      assert.match(unknown.headers['x-report-ignored'] as string, /none of your devices/);
      const noise = await post('raw/teltonika', { data: 'AQID' });
      assert.equal(noise.status, 204);
      assert.notEqual(noise.headers['x-report-ignored'], undefined);
      assert.equal((await post('raw/nothing', {})).status, 404);
    });
  },
  { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8' },
);
