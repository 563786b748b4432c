import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import nacl from 'tweetnacl';
import { owntracks } from './owntracks.ts';
import { decodedBy, json, NOW, request } from './testing.ts';

const decoded = (parts: Parameters<typeof request>[0]) => decodedBy(owntracks, parts);
const message = (value: unknown) => decoded(json(value));
const TST = 1_700_000_000;
const timestamp = TST * 1000;
const place = { lat: 46.0681, lon: 11.1512, tst: TST };
const location = (more: object) => message({ _type: 'location', tid: '5t', ...place, ...more }).report;

describe('a location', () => {
  test('from Android', () => {
    const { identifier, report } = message({
      ...{ _type: 'location', _id: 'a1b2c3d4', BSSID: '10:20:30:40:50:60', SSID: 'home', acc: 15, alt: 440, batt: 46 },
      ...{ bs: 1, conn: 'w', created_at: TST + 5, inregions: ['Home'], inrids: ['6da9cf'], m: 1, t: 'u', tid: '5t' },
      ...{ topic: 'owntracks/jane/pixel', vac: 2, vel: 12, cog: 271, ...place },
    });
    assert.equal(identifier, 'jane/pixel');
    assert.deepEqual(report.points, [
      {
        timestamp,
        location: { lat: 46.0681, lng: 11.1512 },
        speedKmh: 12,
        courseDeg: 271,
        altitudeM: 440,
        accuracyM: 15,
        batteryPct: 46,
        averageCharge: 0,
        correlationId: 'a1b2c3d4',
      },
    ]);
    assert.deepEqual(report.readings, []);
    assert.deepEqual(report.gatewayReadings, [
      {
        timestamp,
        type: 'wifi_seen',
        value: { name: 'home' },
        sensorDeviceId: '10:20:30:40:50:60',
        correlationId: 'a1b2c3d4',
      },
    ]);
  });

  test('the smallest there is', () => {
    assert.deepEqual(location({}).points, [{ timestamp, location: { lat: 46.0681, lng: 11.1512 } }]);
  });

  test('from iOS: pressure in kPa, activities, point of interest', () => {
    const { readings } = location({ p: 101.325, motionactivities: ['walking'], poi: 'Lunch', tag: 'trip' });
    assert.deepEqual(
      readings.map(({ type, value, meta }) => [type, value, meta]),
      [
        ['pressure', 1013.25, { unit: 'hPa' }],
        ['activity', 'walking', undefined],
        ['poi', 'Lunch', undefined],
        ['tag', 'trip', undefined],
      ],
    );
  });

  test('an accuracy of 0 is none', () => assert.ok(!('accuracyM' in location({ acc: 0 }).points[0]!)));

  test('the battery status', () => {
    const charge = (bs: unknown) => location({ bs }).points[0]?.averageCharge;
    assert.deepEqual([0, 1, 2, 3, 'x'].map(charge), [undefined, 0, 255, 255, undefined]);
  });

  test('numbers as text, as the oldest apps sent them', () => {
    assert.deepEqual(
      message({ _type: 'location', lat: '46.5', lon: '11.5', tst: `${TST}`, batt: '50' }).report.points,
      [{ timestamp, location: { lat: 46.5, lng: 11.5 }, batteryPct: 50 }],
    );
  });

  test('what is demanded and missing, or can not be right, is passed on', () => {
    assert.ok(!('timestamp' in location({ tst: undefined }).points[0]!));
    assert.deepEqual(location({ lat: 95, lon: -200 }).points[0]?.location, { lat: 95, lng: -200 });
    assert.deepEqual(location({ lat: null, lon: undefined }).points[0]?.location, { lat: Number.NaN, lng: Number.NaN });
  });

  test('a picture is left out', () => {
    assert.deepEqual(location({ image: 'aGVsbG8='.repeat(1000), imagename: 'me' }).readings, []);
  });

  test('what other senders add becomes readings', () => {
    assert.deepEqual(location({ temperature: 21.5, humidity: 40, _http: true, deep: {} }).readings, [
      { timestamp, type: 'temp', value: 21.5 },
      { timestamp, type: 'humidity', value: 40 },
    ]);
  });
});

describe('a location from Queclink', () => {
  test('ignition off, with its cell', () => {
    const { identifier, report } = message({
      ...{ topic: 'owntracks/qtripp/865284000000001', vel: 0, cog: 113, mcc: 232, mnc: 1, lac: '4F4D', cid: '673A' },
      ...{ _type: 'location', acc: 10, alt: 1113, t: 'I', don: 105, tid: 'CS', ...place },
    });
    assert.equal(identifier, 'qtripp/865284000000001');
    assert.equal(report.points[0]?.alertType, 32);
    assert.deepEqual(report.readings, [
      { timestamp, type: 'ignition', value: false },
      { timestamp, type: 'cell', value: { mcc: 232, mnc: 1, lac: 0x4f4d, cid: 0x673a } },
      { timestamp, type: 'don', value: 105, meta: { unit: 's' } },
    ]);
  });

  test('extras', () => {
    const { points, readings } = location({
      ...{
        odometer: 1234.5,
        hmc: 3600,
        ubatt: 4.1,
        uext: 12.6,
        rpm: 900,
        flvl: 55,
        ign: 1,
        motion: false,
        vin: 'WVWZZZ',
      },
      ...{
        imei: '865284000000001',
        sent: TST,
        anum: 2,
        'temp_c-00': 4.5,
        'temp_c-01': -18,
        'adid-01': '28FF',
        din1: true,
      },
    });
    assert.equal(points[0]?.batteryVoltage, 4.1);
    assert.deepEqual(
      readings.map(({ type, value, meta }) => [type, value, meta]),
      [
        ['odometer', 1_234_500, { unit: 'm' }],
        ['temp', 4.5, { input: '00' }],
        ['temp', -18, { input: '01', sensor: '28FF' }],
        ['hmc', 3600, { unit: 's' }],
        ['ext_voltage', 12.6, { unit: 'V' }],
        ['rpm', 900, undefined],
        ['flvl', 55, { unit: '%' }],
        ['ignition', true, undefined],
        ['motion', false, undefined],
        ['vin', 'WVWZZZ', undefined],
        ['din1', true, undefined],
      ],
    );
  });

  test('what made it report', () => {
    const cause = (t: unknown, more = {}) => {
      const { points, readings } = location({ t, ...more });
      const { alertType, sendReason, averageCharge } = points[0]!;
      return { alertType, sendReason, averageCharge, reading: readings[0] && [readings[0].type, readings[0].value] };
    };
    const none = { alertType: undefined, sendReason: undefined, averageCharge: undefined, reading: undefined };
    assert.deepEqual(cause('i'), { ...none, alertType: 32, reading: ['ignition', true] });
    assert.deepEqual(cause('!'), { ...none, alertType: 16, reading: ['alarm', 'tow'] });
    assert.deepEqual(cause('s'), { ...none, alertType: 16, reading: ['alarm', 'speed'] });
    assert.deepEqual(cause('h', { rty: 2 }), { ...none, alertType: 16, reading: ['alarm', 'harsh'] });
    assert.deepEqual(cause('9'), { ...none, alertType: 16, reading: ['alarm', 'low battery'] });
    assert.deepEqual(cause(9), cause('9'));
    assert.deepEqual(cause('e'), { ...none, alertType: 16, reading: ['alarm', 'external power off'] });
    assert.deepEqual(cause('a'), { ...none, sendReason: 64 });
    assert.deepEqual(cause('p'), { ...none, sendReason: 255 });
    assert.deepEqual(cause('2'), { ...none, averageCharge: 0 });
    assert.deepEqual(cause('3', { bs: 1 }), { ...none, averageCharge: 255 });
    for (const t of ['c', 'C', 'b', 'r', 'u', 't', 'v', 'E', '1', 'o', 'M', undefined, {}, 'constructor']) {
      assert.deepEqual(cause(t), none, String(t));
    }
  });
});

describe('the other types', () => {
  test('a transition is a reading', () => {
    const { report } = message({
      ...{ _type: 'transition', event: 'enter', desc: 'Home', wtst: 1_600_000_000, acc: 20, t: 'c', rid: '6da9cf' },
      ...{ tid: 'JJ', topic: 'owntracks/jane/pixel/event', ...place },
    });
    assert.deepEqual(report.points, []);
    assert.deepEqual(report.readings, [
      {
        timestamp,
        type: 'geofence_log',
        value: { event: 'enter', name: 'Home', location: { lat: 46.0681, lng: 11.1512 }, accuracy: 20 },
        meta: { region: '6da9cf', trigger: 'c', created: '2020-09-13T12:26:40.000Z' },
      },
    ]);
  });

  test('a beacon is something heard', () => {
    const uuid = 'CA271EAE-5FA8-4E80-8F08-2A302A95A959';
    const { report } = message({ _type: 'beacon', uuid, major: 1, minor: 2, tst: TST, acc: 1.5, rssi: -70, prox: 2 });
    assert.deepEqual(report.gatewayReadings, [
      {
        timestamp,
        type: 'ble_seen',
        value: { major: 1, minor: 2 },
        rssi: -70,
        meta: { distance: 1.5, proximity: 2 },
        sensorDeviceId: `${uuid}/1/2`,
      },
    ]);
    assert.ok(!('rssi' in message({ _type: 'beacon', uuid, rssi: 0, tst: TST }).report.gatewayReadings[0]!));
    assert.match(message({ _type: 'beacon', tst: TST }).ignored!, /uuid/);
  });

  test('steps are a reading', () => {
    const { report } = message({ _type: 'steps', tst: TST, steps: 1234, from: TST - 60, to: TST });
    assert.deepEqual(report.readings, [
      {
        timestamp,
        type: 'steps',
        value: 1234,
        meta: { from: '2023-11-14T22:12:20.000Z', to: '2023-11-14T22:13:20.000Z' },
      },
    ]);
    assert.match(message({ _type: 'steps', tst: TST, steps: -1 }).ignored!, /step count/);
  });

  test('waypoints are readings, alone and in a list', () => {
    const home = { _type: 'waypoint', desc: 'Home', lat: 1, lon: 2, rad: 50, tst: TST, rid: 'x' };
    const value = { name: 'Home', location: { lat: 1, lng: 2 }, radius: 50 };
    const stored = { timestamp, type: 'waypoint', value, meta: { region: 'x' } };
    assert.deepEqual(message(home).report.readings, [stored]);
    assert.deepEqual(message({ _type: 'waypoints', waypoints: [home, 7, home] }).report.readings, [stored, stored]);
    const beacon = { _type: 'waypoint', desc: 'Desk', uuid: 'abc', tst: TST };
    assert.deepEqual(message(beacon).report.readings[0]!.value, { name: 'Desk', beacon: 'abc' });
  });

  const IGNORED: object[] = [
    { _type: 'waypoint', tst: TST },
    { _type: 'waypoints', waypoints: 'none' },
    { _type: 'status', iOS: { version: '18.1', locale: 'en_US' } },
    { _type: 'status', android: { hib: 0, bo: 1, wifi: 1, ps: 0, loc: 0 } },
    { _type: 'lwt', tst: TST },
    { _type: 'card', tid: 'JJ', name: 'Jane', face: 'iVBORw0KGgo=' },
    { _type: 'cmd', action: 'reportLocation' },
    { _type: 'request', request: 'tour', tour: { label: 'Paris' } },
    { _type: 'configuration', mode: 3, password: 'secret' },
    { _type: 'something new' },
    { _type: 'toString' },
    { _type: 5 },
    { lat: 1, lon: 2, tst: TST },
  ];
  for (const sent of IGNORED) {
    test(`ignored: ${JSON.stringify(sent).slice(0, 60)}`, () => {
      const { ignored, report } = message({ ...sent, topic: 'owntracks/jane/pixel' });
      assert.ok(ignored);
      assert.deepEqual([report.points, report.readings, report.gatewayReadings], [[], [], []]);
    });
  }

  test('an empty body is ignored', () => {
    assert.equal(decoded({ body: '' }).ignored, 'it is empty');
    assert.equal(decoded({ body: ' \n', query: 'u=jane&d=pixel' }).identifier, 'jane/pixel');
    assert.ok(message([]).ignored);
  });

  test('an array of messages', () => {
    const one = { _type: 'location', ...place };
    const { ignored, report } = message([one, { _type: 'lwt', tst: 1 }, 7, { ...one, tst: TST + 1 }]);
    assert.deepEqual([report.points.length, ignored], [2, undefined]);
  });

  test('what is no JSON is malformed', () => {
    for (const body of ['hello', '5', 'null', '{', '['.repeat(100_000)]) {
      assert.ok('malformed' in owntracks.decode(request({ body })), body.slice(0, 20));
    }
  });
});

describe('who it is', () => {
  const topic = 'owntracks/t-user/t-device';
  const headers = { 'x-limit-u': 'h-user', 'x-limit-d': 'h-device' };
  const who = (parts: object, body: object) =>
    decoded({ ...json({ _type: 'location', ...place, ...body }), ...parts }).identifier;

  test('the query, then the headers, then the topic, then the letters of the map', () => {
    const body = { topic, tid: 'AB' };
    assert.equal(who({ query: 'u=q-user&d=q-device', headers }, body), 'q-user/q-device');
    assert.equal(who({ headers }, body), 'h-user/h-device');
    assert.equal(who({}, body), 't-user/t-device');
    assert.equal(who({}, { topic: `${topic}/event` }), 't-user/t-device');
    assert.equal(who({}, { tid: 'AB' }), 'AB');
    assert.equal(who({}, { topic: 'elsewhere', tid: 'AB' }), 'AB');
    assert.equal(who({ query: 'u=q-user' }, body), 't-user/t-device', 'half a name is none');
    assert.equal(who({}, {}), undefined);
  });

  test('a key in the query', () => assert.equal(decoded({ query: 'key=K' }).key, 'K'));
});

describe('encrypted', () => {
  const seal = (value: unknown, secret: string) => {
    const key = new Uint8Array(32);
    key.set(new TextEncoder().encode(secret));
    const nonce = nacl.randomBytes(24);
    const box = nacl.secretbox(new TextEncoder().encode(JSON.stringify(value)), nonce, key);
    return json({ _type: 'encrypted', data: Buffer.concat([nonce, box]).toString('base64') });
  };
  const inner = { _type: 'location', tid: 'JJ', ...place };

  test('opened with the secret', () => {
    const { report, identifier, encrypted } = decoded({ ...seal(inner, 's3cret'), secret: 's3cret' });
    assert.deepEqual(report.points, [{ timestamp, location: { lat: 46.0681, lng: 11.1512 } }]);
    assert.deepEqual([identifier, encrypted], ['JJ', undefined]);
  });

  test('a message sealed by libsodium', () => {
    // Made with crypto_secretbox_easy of libsodium itself: the nonce is 0, 1, … 23.
    const data =
      'AAECAwQFBgcICQoLDA0ODxAREhMUFRYX6NwsJ0icPzPEaBQ6OXb1XAh9SpLYIJtEk6tbuYJTmKuSqkGgHdahe9EW09D2bLbxZGar/sK1D7nIupgq3V4HLj1/LwYpx04WsQ==';
    const { report } = decoded({ ...json({ _type: 'encrypted', data }), secret: 's3cr1t' });
    assert.deepEqual(report.points, [{ timestamp, location: { lat: 1.5, lng: 2.5 } }]);
  });

  test('without a secret it asks for one, and is kept for the quarantine', () => {
    const parts = seal(inner, 's3cret');
    const { encrypted, identifier, report } = decoded({ ...parts, query: 'u=jane&d=pixel' });
    assert.deepEqual([encrypted, identifier, report.points], [true, 'jane/pixel', []]);
    const reason = 'encrypted: set the device’s OwnTracks secret';
    assert.deepEqual(report.unreadable, [{ item: JSON.parse(parts.body), reason }]);
  });

  test('with a wrong secret, or as a broken box, it is kept for the quarantine', () => {
    const wrong = [
      { ...seal(inner, 's3cret'), secret: 'other' },
      { ...seal(inner, 's3cret'), secret: 'x'.repeat(33) },
      { ...seal('no object', 's3cret'), secret: 's3cret' },
      { ...seal({ ...inner, x: JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`) }, 's3cret'), secret: 's3cret' },
      { ...json({ _type: 'encrypted', data: 'AAAA' }), secret: 's3cret' },
      { ...json({ _type: 'encrypted', data: 5 }), secret: 's3cret' },
      { ...json({ _type: 'encrypted' }), secret: 's3cret' },
    ];
    for (const parts of wrong) {
      const { report, encrypted } = decoded(parts);
      assert.deepEqual([report.points, encrypted], [[], undefined]);
      assert.deepEqual(
        report.unreadable?.map(({ reason }) => reason),
        ['encrypted with another secret: set the device’s OwnTracks secret to that of the app'],
      );
    }
  });

  test('one that cannot be decrypted does not hold back another', () => {
    const parts = [seal(inner, 's3cret'), seal(inner, 'other')].map(({ body }) => JSON.parse(body));
    const { report } = decoded({ ...json(parts), secret: 's3cret' });
    assert.deepEqual([report.points.length, report.unreadable?.length], [1, 1]);
  });

  test('an answer is encrypted as a whole', () => {
    const { body, commandSent } = owntracks.answer({ command: 'reportLocation', secret: 's3cret' });
    const { _type, data } = JSON.parse(body);
    assert.deepEqual([_type, commandSent], ['encrypted', true]);
    const sealed = new Uint8Array(Buffer.from(data, 'base64'));
    const key = new Uint8Array(32);
    key.set(new TextEncoder().encode('s3cret'));
    const text = nacl.secretbox.open(sealed.subarray(24), sealed.subarray(0, 24), key);
    assert.deepEqual(JSON.parse(new TextDecoder().decode(text!)), [{ _type: 'cmd', action: 'reportLocation' }]);
  });
});

describe('the answer', () => {
  const body = (outcome: Parameters<typeof owntracks.answer>[0]) => JSON.parse(owntracks.answer(outcome).body);

  test('is an empty array', () => {
    const { status, contentType, body } = owntracks.answer({});
    assert.deepEqual([status, contentType, body], [200, 'application/json; charset=utf-8', '[]']);
  });

  test('brings friends', () => {
    const point = {
      timestamp: NOW + 999,
      location: { lat: 1, lng: 2 },
      speedKmh: 12.4,
      accuracyM: 7.6,
      batteryPct: 55,
    };
    const friends = [
      { id: '17', name: 'Anna', point },
      { id: '18', name: 'Nowhere', point: { timestamp: NOW } },
    ];
    assert.deepEqual(body({ friends }), [
      {
        ...{ _type: 'location', topic: 'owntracks/friends/17', tid: 'An', lat: 1, lon: 2, tst: NOW / 1000 },
        ...{ acc: 8, vel: 12, batt: 55 },
      },
      { _type: 'card', topic: 'owntracks/friends/17', tid: 'An', name: 'Anna' },
    ]);
  });

  test('brings a command the apps know, by name or whole', () => {
    assert.deepEqual(body({ command: 'reportLocation' }), [{ _type: 'cmd', action: 'reportLocation' }]);
    const whole = { _type: 'cmd', action: 'setWaypoints', waypoints: { _type: 'waypoints', waypoints: [] } };
    assert.deepEqual(body({ command: JSON.stringify(whole) }), [whole]);
    assert.equal(owntracks.answer({ command: 'reportLocation' }).commandSent, true);
    const unknown = owntracks.answer({ command: 'explode' });
    assert.deepEqual([unknown.body, unknown.commandSent], ['[]', false]);
  });

  test('tells a problem', () => {
    const { status, body } = owntracks.answer({ status: 401, problem: 'Unknown key' });
    assert.deepEqual([status, body], [401, '{"error":"Unknown key"}']);
  });
});
