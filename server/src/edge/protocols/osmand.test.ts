import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { osmand } from './osmand.ts';
import { decodedBy, json, NOW, request } from './testing.ts';

const decoded = (parts: Parameters<typeof request>[0]) => decodedBy(osmand, parts);
const at = (text: string) => Date.parse(text);
const FORM = 'application/x-www-form-urlencoded';

describe('a query, as the OsmAnd app, Traccar Client up to 8 and scripts send it', () => {
  const point = (query: string) => decoded({ query }).report.points[0];

  test('Traccar Client 8 on Android', () => {
    const { identifier, report } = decoded({
      query:
        'id=48120377&timestamp=1700000000&lat=47.4979&lon=19.0402&speed=10.0&bearing=271.5&altitude=112.4&accuracy=12.5&batt=87.0&charge=true',
    });
    assert.equal(identifier, '48120377');
    assert.deepEqual(report.points, [
      {
        timestamp: 1_700_000_000_000,
        location: { lat: 47.4979, lng: 19.0402 },
        speedKmh: 18.52,
        courseDeg: 271.5,
        altitudeM: 112.4,
        accuracyM: 12.5,
        batteryPct: 87,
        averageCharge: 255,
      },
    ]);
    assert.deepEqual([report.readings, report.gatewayReadings, report.messages], [[], [], []]);
  });

  test('the OsmAnd app: milliseconds, hdop, no accuracy', () => {
    const { identifier, report } = decoded({
      query: 'id=osm1&lat=52.52&lon=13.405&timestamp=1700000000579&hdop=6.0&altitude=34.0&speed=0.0',
    });
    assert.equal(identifier, 'osm1');
    assert.deepEqual(report.points[0], {
      timestamp: 1_700_000_000_579,
      location: { lat: 52.52, lng: 13.405 },
      speedKmh: 0,
      altitudeM: 34,
      hdop: 6,
    });
  });

  test('POST with a query string and no body', () => {
    assert.deepEqual(decoded({ query: 'id=1&lat=1&lon=2&timestamp=1700000000', contentType: FORM }).report.points, [
      { timestamp: 1_700_000_000_000, location: { lat: 1, lng: 2 } },
    ]);
  });

  test('a time in every form', () => {
    const time = (text: string) => point(`id=1&lat=1&lon=2&timestamp=${text}`)?.timestamp;
    assert.equal(time('2147483646'), 2_147_483_646_000, 'seconds');
    assert.equal(time('2147483647'), 2_147_483_647, 'milliseconds');
    assert.equal(time('1700000000.25'), 1_700_000_000_250);
    assert.equal(time('2016-01-27T18%3A55%3A47Z'), at('2016-01-27T18:55:47Z'));
    assert.equal(time('2016-01-27T18:55:47.123%2B02:00'), at('2016-01-27T16:55:47.123Z'));
    assert.equal(time('2016-01-27T18:55:47+02:00'), at('2016-01-27T16:55:47Z'), 'a plus nobody encoded');
    assert.equal(time('2014-06-04+09%3A10%3A11'), at('2014-06-04T09:10:11Z'), 'UTC, wherever the server stands');
    assert.equal(time(''), NOW);
    assert.equal(point('id=1&lat=1&lon=2')?.timestamp, NOW, 'none is the time of reception');
    assert.equal(time('yesterday'), undefined, 'what was said and is no time is not made one');
    assert.equal(time('0'), 0, 'a clock that was never set is evaluated later');
  });

  test('deviceid, heading, and location as one', () => {
    const { identifier, report } = decoded({
      query: 'deviceid=abc&location=60.0,30.0&heading=90&timestamp=1377177267',
    });
    assert.equal(identifier, 'abc');
    assert.deepEqual(report.points[0], {
      timestamp: 1_377_177_267_000,
      location: { lat: 60, lng: 30 },
      courseDeg: 90,
    });
  });

  test('without a place it is a status report', () => {
    assert.deepEqual(point('id=1&timestamp=1700000000&batt=15&charge=false'), {
      timestamp: 1_700_000_000_000,
      batteryPct: 15,
      averageCharge: 0,
    });
    assert.deepEqual(point('id=1&lat=&lon=&timestamp=1700000000'), { timestamp: 1_700_000_000_000 });
    assert.deepEqual(point('id=1'), { timestamp: NOW, isTimeAssumed: true }, 'a heartbeat');
  });

  test('a claimed place that can not be right is passed on', () => {
    assert.deepEqual(point('id=1&lat=95&lon=500')?.location, { lat: 95, lng: 500 });
    assert.deepEqual(point('id=1&lat=60')?.location, { lat: 60, lng: Number.NaN });
    assert.deepEqual(point('id=1&lat=north&lon=30')?.location, { lat: Number.NaN, lng: 30 });
    assert.deepEqual(point('id=1&location=60')?.location, { lat: 60, lng: Number.NaN });
  });

  test('valid says whether the fix is one', () => {
    for (const yes of ['true', '1']) assert.equal(point(`lat=1&lon=2&valid=${yes}`)?.locationType, undefined);
    for (const no of ['false', '0', 'V']) assert.equal(point(`lat=1&lon=2&valid=${no}`)?.locationType, 'invalid');
  });

  test('the address says in which unit the speed is; knots are the default', () => {
    const speedIn = (unit: string) => point(`lat=1&lon=2&speed=10${unit}`)?.speedKmh;
    assert.deepEqual(
      ['', '&speedUnit=kn', '&speedUnit=ms', '&speedUnit=kmh', '&speedUnit=mph', '&speedUnit=constructor'].map(speedIn),
      [18.52, 18.52, 36, 10, 16.093, undefined],
    );
    const sent = { query: 'speedUnit=ms', body: '[{"lat":1,"lon":2,"speed":10}]', contentType: 'application/json' };
    assert.equal(decoded(sent).report.points[0]?.speedKmh, 36);
    assert.deepEqual(decoded(sent).report.readings, []);
  });

  test('what is unknown or no number is left out', () => {
    assert.deepEqual(point('lat=1&lon=2&speed=-1&bearing=-1&accuracy=0&batt=-1&altitude=NaN&hdop=abc'), {
      timestamp: NOW,
      isTimeAssumed: true,
      location: { lat: 1, lng: 2 },
    });
  });

  test('cells and access points', () => {
    const { report } = decoded({
      query:
        'id=1&timestamp=1377177267&cell=257,02,16,2224&cell=257,02,16,2223,-90&cell=nonsense&wifi=00-14-22-01-23-45,-80&wifi=0:1c:b3:9:85:15,-70&wifi=x',
    });
    const timestamp = 1_377_177_267_000;
    assert.deepEqual(report.points, [{ timestamp }]);
    assert.deepEqual(report.readings, [
      { timestamp, type: 'cell', value: { mcc: 257, mnc: 2, lac: 16, cid: 2224 } },
      { timestamp, type: 'cell', value: { mcc: 257, mnc: 2, lac: 16, cid: 2223 }, rssi: -90 },
    ]);
    assert.deepEqual(report.gatewayReadings, [
      { timestamp, type: 'wifi_seen', value: -80, rssi: -80, sensorDeviceId: '00:14:22:01:23:45' },
      { timestamp, type: 'wifi_seen', value: -70, rssi: -70, sensorDeviceId: '00:1C:B3:09:85:15' },
    ]);
  });

  test('alarms raise their bit and keep their name', () => {
    const alarm = (name: string) => {
      const { points, readings } = decoded({ query: `id=1&lat=1&lon=2&alarm=${name}` }).report;
      return [points[0]?.alertType, readings[0]?.type, readings[0]?.value];
    };
    assert.deepEqual(alarm('sos'), [8, 'alarm', 'sos']);
    assert.deepEqual(alarm('SOS'), [8, 'alarm', 'SOS']);
    assert.deepEqual(alarm('lowBattery'), [16, 'alarm', 'lowBattery']);
    assert.deepEqual(alarm('fallDown'), [1, 'alarm', 'fallDown']);
    assert.deepEqual(alarm('jamming'), [4, 'alarm', 'jamming']);
    assert.deepEqual(alarm('sos,tampering'), [24, 'alarm', 'sos,tampering']);
    assert.deepEqual(alarm('false'), [undefined, undefined, undefined]);
    assert.equal(decoded({ query: 'id=1&alarm=sos' }).report.points[0]?.alertType, 8, 'also without a place');
  });

  test('any other attribute becomes a reading of its type', () => {
    const { readings } = decoded({
      query:
        'id=1&lat=1&lon=2&ignition=true&rpm=933&fuel=24.5&temperature=-3.5&door=False&note=hello+there&driverUniqueId=0042&card=007&iccid=89490200001234567890&phone=%2B491701234567&empty=',
    }).report;
    assert.deepEqual(
      readings.map(({ type, value, timestamp }) => [type, value, timestamp === NOW]),
      [
        ['driverUniqueId', '0042', true],
        ['ignition', true, true],
        ['rpm', 933, true],
        ['fuel', 24.5, true],
        ['temp', -3.5, true],
        ['door', false, true],
        ['note', 'hello there', true],
        ['card', '007', true],
        ['iccid', '89490200001234567890', true],
        ['phone', '+491701234567', true],
      ],
    );
  });

  test('attributes are bounded in number and size', () => {
    const many = Array.from({ length: 300 }, (_, index) => `a${index}=1`).join('&');
    assert.equal(decoded({ query: `id=1&${many}` }).report.readings.length, 100);
    const received = decoded({ query: `id=1&${'cell=1,2,3,4&wifi=0:0:0:0:0:1,-5&'.repeat(60)}` }).report;
    assert.deepEqual([received.readings.length, received.gatewayReadings.length], [50, 50]);
    const { readings } = decoded({ query: `id=1&${'n'.repeat(101)}=1&text=${'x'.repeat(5000)}` }).report;
    assert.deepEqual(
      readings.map(({ type, value }) => [type, String(value).length]),
      [['text', 1000]],
    );
  });

  test('the key is taken and kept out of the readings', () => {
    const { key, identifier, report } = decoded({ query: 'key=SECRET&lat=1&lon=2' });
    assert.deepEqual([key, identifier, report.readings], ['SECRET', undefined, []]);
  });

  test('nothing but a key, and nothing at all, is ignored', () => {
    for (const query of ['', 'key=SECRET', 'id=']) {
      const { ignored, report } = decoded({ query });
      assert.equal(ignored, 'it contains no data');
      assert.deepEqual(report.points, []);
    }
  });

  test('names no device can have are no names', () => {
    assert.equal(decoded({ query: `id=${'1'.repeat(300)}&lat=1&lon=2` }).identifier, undefined);
    assert.equal(decoded({ query: 'id=a%00b&lat=1&lon=2' }).identifier, undefined);
  });
});

describe('JSON, as Traccar Client 9 sends it', () => {
  const coords = { latitude: 47.4979, longitude: 19.0402, accuracy: 3.8, speed: 18.67, heading: 63, altitude: 35.7 };

  test('Android, moving', () => {
    const { identifier, report } = decoded(
      json({
        location: {
          event: 'motionchange',
          is_moving: true,
          uuid: '5f1c7e0a-90c4-4a4d-8a3a-3f0a0d7c9b11',
          timestamp: '2025-07-21T08:06:34.444Z',
          odometer: 1520.5,
          coords: { ...coords, speed_accuracy: 0.26, heading_accuracy: 0.28, altitude_accuracy: 3.8 },
          activity: { type: 'in_vehicle', confidence: 100 },
          battery: { is_charging: true, level: 0.57 },
          extras: {},
          _: '&id=8737760001&lat=47.4979&lon=19.0402&timestamp=2025-07-21T08:06:34.444Z&',
        },
        device_id: '8737760001',
      }),
    );
    const timestamp = at('2025-07-21T08:06:34.444Z');
    const correlationId = '5f1c7e0a-90c4-4a4d-8a3a-3f0a0d7c9b11';
    assert.equal(identifier, '8737760001');
    assert.deepEqual(report.points, [
      {
        timestamp,
        location: { lat: 47.4979, lng: 19.0402 },
        speedKmh: 67.212,
        courseDeg: 63,
        altitudeM: 35.7,
        accuracyM: 3.8,
        batteryPct: 57,
        averageCharge: 255,
        sendReason: 32,
        correlationId,
      },
    ]);
    assert.deepEqual(report.readings, [
      { timestamp, type: 'odometer', value: 1520.5, meta: { unit: 'm' }, correlationId },
      { timestamp, type: 'activity', value: 'in_vehicle', correlationId },
    ]);
  });

  test('iOS simulator: −1 is unknown, mock is told, floor is null', () => {
    const { report } = decoded(
      json({
        location: {
          extras: {},
          mock: true,
          coords: {
            ...{ speed_accuracy: -1, speed: -1, longitude: -122.406417, ellipsoidal_altitude: 0, floor: null },
            ...{
              heading_accuracy: -1,
              latitude: 37.785834,
              accuracy: 5,
              altitude_accuracy: -1,
              altitude: 0,
              heading: -1,
            },
          },
          is_moving: false,
          age: 188,
          odometer: 0,
          event: 'motionchange',
          battery: { level: -1, is_charging: false },
          activity: { type: 'unknown', confidence: 100 },
          timestamp: '2025-05-09T04:11:30.579Z',
        },
        device_id: '658700',
      }),
    );
    const timestamp = at('2025-05-09T04:11:30.579Z');
    assert.deepEqual(report.points, [
      {
        timestamp,
        location: { lat: 37.785834, lng: -122.406417 },
        altitudeM: 0,
        accuracyM: 5,
        averageCharge: 0,
        sendReason: 64,
      },
    ]);
    assert.deepEqual(report.readings, [{ timestamp, type: 'mock', value: true }]);
  });

  test('a heartbeat has no coordinates', () => {
    const location = {
      timestamp: '2025-05-09T04:11:30Z',
      heartbeat: true,
      battery: { level: 0.5, is_charging: false },
    };
    assert.deepEqual(decoded(json({ device_id: '1', location })).report.points, [
      { timestamp: at('2025-05-09T04:11:30Z'), batteryPct: 50, averageCharge: 0, sendReason: 255 },
    ]);
  });

  test('an alarm, and extras with their types', () => {
    const extras = { text: '12', yes: true, no: false, whole: 1, real: 1.345, none: null, deep: { a: 1 }, list: [1] };
    const { report } = decoded(json({ device_id: '1', location: { timestamp: NOW, coords, alarm: 'sos', extras } }));
    assert.equal(report.points[0]?.alertType, 8);
    assert.deepEqual(
      report.readings.map(({ type, value }) => [type, value]),
      [
        ['alarm', 'sos'],
        ['text', '12'],
        ['yes', true],
        ['no', false],
        ['whole', 1],
        ['real', 1.345],
      ],
    );
  });

  test('a missing time is not made up', () => {
    const [point] = decoded(json({ device_id: '1', location: { coords } })).report.points;
    assert.ok(point?.location !== undefined && !('timestamp' in point));
  });

  test('half a place is claimed all the same', () => {
    const location = { timestamp: NOW, coords: { latitude: 5 } };
    assert.deepEqual(decoded(json({ location })).report.points[0]?.location, { lat: 5, lng: Number.NaN });
  });

  test('a key and an id in the query serve where the body has none', () => {
    const { key, identifier } = decoded({ query: 'key=K&id=9', ...json({ location: { timestamp: NOW, coords } }) });
    assert.deepEqual([key, identifier], ['K', '9']);
  });

  test('a number as device_id', () => {
    assert.equal(decoded(json({ device_id: 42, location: { timestamp: NOW } })).identifier, '42');
  });

  test('several locations under one name', () => {
    const location = [
      { timestamp: NOW, coords },
      { timestamp: NOW + 1000, coords },
    ];
    const { identifier, report } = decoded(json({ device_id: '1', location }));
    assert.deepEqual([identifier, report.points.length], ['1', 2]);
  });

  test('a charset behind the type, and JSON that calls itself a form', () => {
    const { body } = json({ device_id: '1', location: { timestamp: NOW, coords } });
    assert.equal(decoded({ body, contentType: 'application/json; charset=utf-8' }).report.points.length, 1);
    assert.equal(decoded({ body, contentType: FORM }).identifier, '1');
  });

  test('what is no JSON is malformed', () => {
    for (const body of ['{"location":', '42', 'null', '"text"', '['.repeat(100_000)]) {
      assert.ok('malformed' in osmand.decode(request({ contentType: 'application/json', body })), body.slice(0, 20));
    }
  });

  test('JSON that says nothing is ignored', () => {
    for (const value of [{}, [], [1, null], { deep: { er: 1 } }]) {
      assert.notEqual(decoded(json(value)).ignored, undefined, JSON.stringify(value));
    }
  });
});

describe('a form, as Traccar Client 10 sends it', () => {
  const body =
    'id=31415926&timestamp=1750000000&lat=47.4979&lon=19.0402&speed=36.29&bearing=63.0&altitude=35.7&accuracy=3.8&batt=79&charge=false';

  test('one position', () => {
    const { identifier, report } = decoded({ contentType: FORM, body });
    assert.equal(identifier, '31415926');
    assert.deepEqual(report.points, [
      {
        timestamp: 1_750_000_000_000,
        location: { lat: 47.4979, lng: 19.0402 },
        speedKmh: 67.209,
        courseDeg: 63,
        altitudeM: 35.7,
        accuracyM: 3.8,
        batteryPct: 79,
        averageCharge: 0,
      },
    ]);
  });

  test('with a key in the query or in the form', () => {
    assert.equal(decoded({ contentType: FORM, body, query: 'key=K' }).key, 'K');
    assert.equal(decoded({ contentType: FORM, body: `${body}&key=F` }).key, 'F');
    assert.equal(decoded({ contentType: FORM, body, query: 'key=K&v=2' }).report.points[0]?.location?.lat, 47.4979);
  });

  test('a query with a place goes before the form', () => {
    const { report } = decoded({ contentType: FORM, body, query: 'id=2&lat=1&lon=2' });
    assert.deepEqual(report.points, [{ timestamp: NOW, isTimeAssumed: true, location: { lat: 1, lng: 2 } }]);
    const beside = decoded({ contentType: FORM, body: '{"lat":5,"lon":6,"temp":7}', query: 'id=2&lat=1&lon=2' });
    assert.deepEqual(beside.report.points[0]?.location, { lat: 1, lng: 2 });
    assert.deepEqual(beside.report.readings, []);
  });

  test('an uploaded push token is ignored, and never a reading', () => {
    const { identifier, ignored, report } = decoded({
      contentType: FORM,
      body: 'id=31415926&notificationToken=fcm%3Aabc',
    });
    assert.equal(identifier, '31415926');
    assert.match(ignored!, /push token/);
    assert.deepEqual([report.points, report.readings], [[], []]);
    assert.deepEqual(decoded({ contentType: FORM, body: `${body}&notificationToken=x` }).report.readings, []);
  });

  test('encoding that is broken does no harm', () => {
    assert.equal(decoded({ contentType: FORM, body: 'id=%E0%A4%A&lat=1&lon=2' }).report.points.length, 1);
  });
});

describe('a JSON array of flat objects', () => {
  const flat = (id: string, timestamp: number) => ({
    id,
    timestamp,
    lat: 1.5,
    lon: '2.5',
    speed: 10,
    batt: 50,
    temp: 21,
  });

  test('each is a position', () => {
    const { identifier, report } = decoded(json([flat('7', 1_700_000_000), flat('7', 1_700_000_060)]));
    assert.equal(identifier, '7');
    assert.deepEqual(report.points[1], {
      timestamp: 1_700_000_060_000,
      location: { lat: 1.5, lng: 2.5 },
      speedKmh: 18.52,
      batteryPct: 50,
    });
    assert.deepEqual(report.readings[0], { timestamp: 1_700_000_000_000, type: 'temp', value: 21 });
  });

  test('of several devices they name none: only a key can tell', () => {
    const { identifier, report } = decoded(json([flat('7', 1), flat('8', 2)]));
    assert.deepEqual([identifier, report.points.length], [undefined, 2]);
  });

  test('a single flat object, and a list for a repeated key', () => {
    const { report } = decoded(json({ ...flat('7', 1), cell: ['257,2,16,2224', '257,2,16,2225'] }));
    assert.equal(report.readings.filter(({ type }) => type === 'cell').length, 2);
  });

  test('a bad one among good ones spoils nothing', () => {
    assert.equal(decoded(json([flat('7', 1), null, 5, flat('7', 2)])).report.points.length, 2);
  });

  test('too many are refused whole', () => {
    const many = osmand.decode(request(json(Array.from({ length: 2001 }, () => flat('7', 1)))));
    assert.ok('malformed' in many && many.tooLarge);
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, 1]));
    const readings = osmand.decode(request(json(Array.from({ length: 101 }, () => wide))));
    assert.ok('malformed' in readings && readings.tooLarge);
  });
});

test('the answer is empty, one command, or the problem', () => {
  assert.deepEqual(osmand.answer({}), {
    status: 200,
    contentType: 'text/plain; charset=utf-8',
    body: '',
    commandSent: false,
  });
  const sent = osmand.answer({ command: 'positionSingle', friends: [] });
  assert.deepEqual([sent.status, sent.body, sent.commandSent], [200, 'positionSingle', true]);
  const refused = osmand.answer({ status: 400, problem: 'No such device' });
  assert.deepEqual([refused.status, refused.body, refused.commandSent], [400, 'No such device', false]);
});
