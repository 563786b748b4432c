import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decoded, decodedAny, NOW, onlyPoint, problemOf, readingIn, valuesOf } from './testing.ts';
import { tts } from './tts.ts';

const IDS = {
  device_id: 'cold-room-1',
  application_ids: { application_id: 'farm' },
  dev_eui: '70b3d57ed0012abc',
  dev_addr: '260B1234',
};
const AT = '2026-03-01T11:59:58.123456789Z';

const uplink = (message: object, more: object = {}) => ({
  end_device_ids: IDS,
  received_at: '2026-03-01T11:59:59Z',
  uplink_message: { session_key_id: 'AYx', f_cnt: 42, f_port: 2, received_at: AT, ...message },
  ...more,
});
const reported = (message: object, more?: object) => decoded(tts, { body: uplink(message, more) });

test('what the codec of the network read is taken by its names, and the payload is kept', () => {
  const { names, report, receivedBy } = reported({
    frm_payload: 'AWcA4Q==',
    decoded_payload: { temperature: 22.5, battery: 80 },
    rx_metadata: [
      { gateway_ids: { gateway_id: 'roof', eui: 'a84041ffff1e2d3c' }, rssi: -97, snr: 8.5 },
      { gateway_ids: { gateway_id: 'packetbroker' }, rssi: -110 },
    ],
    settings: { data_rate: { lora: { bandwidth: 125_000, spreading_factor: 7 } }, frequency: '868100000' },
  });
  assert.deepEqual(names, ['70B3D57ED0012ABC', '70b3d57ed0012abc']);
  assert.deepEqual(valuesOf(report.readings), { lora_payload: '016700E1', temp: 22.5, battery: 80 });
  const payload = readingIn(report.readings, 'lora_payload');
  assert.equal(payload.timestamp, Date.parse('2026-03-01T11:59:58.123Z'));
  assert.equal(payload.correlationId, '70B3D57ED0012ABC:42');
  assert.equal(payload.rssi, -97);
  assert.deepEqual(payload.meta, {
    f_port: 2,
    f_cnt: 42,
    sf: 7,
    gateways: [
      { id: 'A84041FFFF1E2D3C', rssi: -97, snr: 8.5 },
      { id: 'packetbroker', rssi: -110 },
    ],
  });
  assert.equal(report.points[0]!.batteryPct, 80);
  assert.equal(report.points[0]!.location, undefined, 'no place is made up from gateways');
  assert.deepEqual(receivedBy[0]!.names, ['A84041FFFF1E2D3C', 'a84041ffff1e2d3c', 'roof']);
  assert.deepEqual(receivedBy[0]!.seen.value, { rssi: -97, snr: 8.5, sf: 7 });
  assert.equal(receivedBy[0]!.seen.type, 'lora_seen');
});

test('a payload without a codec is read as Cayenne LPP, or kept as it is', () => {
  assert.deepEqual(valuesOf(reported({ frm_payload: 'AWcA4Q==' }).report.readings), {
    lora_payload: '016700E1',
    temp: 22.5,
  });
  const unknown = reported({ frm_payload: '3q2+7w==', f_port: 9 }).report;
  assert.deepEqual(valuesOf(unknown.readings), { lora_payload: 'DEADBEEF' });
  assert.equal(unknown.readings[0]!.meta!.f_port, 9);
});

test('fields that are 0 are left out by the network', () => {
  const { report } = decoded(tts, {
    body: { end_device_ids: IDS, uplink_message: { frm_payload: 'AA==', received_at: AT } },
  });
  assert.equal(report.readings[0]!.correlationId, '70B3D57ED0012ABC:0');
  const onEquator = decoded(tts, {
    body: {
      end_device_ids: IDS,
      location_solved: { location: { longitude: 9.5, source: 'SOURCE_GPS' } },
      received_at: AT,
    },
  });
  assert.deepEqual(onlyPoint(onEquator).location, { lat: 0, lng: 9.5 });
});

test('a frame is the same when it is told again, and another one is not', () => {
  const frame = (message: object, more?: object) => reported(message, more).report.asSent!();
  const first = frame({ frm_payload: 'AA==' });
  assert.equal(frame({ frm_payload: 'AA==', received_at: '2026-03-01T11:59:59Z' }, { received_at: 'later' }), first);
  assert.notEqual(frame({ frm_payload: 'AA==', f_cnt: 43 }), first);
  assert.notEqual(frame({ frm_payload: 'AA==', session_key_id: 'AYy' }), first);
  assert.notEqual(frame({ frm_payload: 'AA==', received_at: '2026-03-01T08:00:00Z' }), first);
});

test('places are those of the payload, or what the network found out', () => {
  const { point } = {
    point: onlyPoint(reported({ decoded_payload: { latitude: 46.5, longitude: 11.3, time: 1_772_366_000 } })),
  };
  assert.deepEqual(
    [point.location, point.locationType, point.timestamp],
    [{ lat: 46.5, lng: 11.3 }, 'gps', 1_772_366_000_000],
  );
  const framed = onlyPoint(
    reported({
      frm_payload: '3q2+7w==',
      locations: { 'frm-payload': { latitude: 46.5, longitude: 11.3, altitude: 300 } },
    }),
  );
  assert.deepEqual([framed.location, framed.altitudeM], [{ lat: 46.5, lng: 11.3 }, 300]);
  assert.deepEqual(reported({ locations: { user: { latitude: 1, longitude: 2 } } }).report.points, []);
  for (const [source, type] of [
    ['SOURCE_WIFI_RSSI_GEOLOCATION', 'wifi'],
    ['SOURCE_LORA_TDOA_GEOLOCATION', 'gsm'],
  ] as const) {
    const location = { latitude: 46.5, longitude: 11.3, accuracy: 400, source };
    const solved = onlyPoint(
      decoded(tts, { body: { end_device_ids: IDS, received_at: AT, location_solved: { service: 'x', location } } }),
    );
    assert.deepEqual([solved.locationType, solved.accuracyM], [type, 400]);
  }
});

test('zeros are no place', () => {
  const point = onlyPoint(reported({ decoded_payload: { lat: 0, lon: 0, battery: 50 } }));
  assert.deepEqual([point.location, point.locationType, point.batteryPct], [undefined, 'invalid', 50]);
});

test('what is simulated moves nothing, and says so', () => {
  const { report, receivedBy } = reported({ decoded_payload: { lat: 1, lon: 2, temp: 3 } }, { simulated: true });
  assert.deepEqual([report.points, receivedBy], [[], []]);
  assert.equal(readingIn(report.readings, 'temp').meta!.simulated, true);
});

test('the battery of the network is told once', () => {
  const last = { last_battery_percentage: { f_cnt: 7, value: 94.5, received_at: '2026-03-01T06:00:00Z' } };
  const { report } = reported({ frm_payload: '3q2+7w==', ...last });
  const battery = readingIn(report.readings, 'battery');
  assert.deepEqual([battery.value, battery.timestamp, battery.isTimeAssumed], [94.5, NOW - 6 * 3_600_000, false]);
  assert.equal(report.points[0]!.batteryPct, 94.5);
});

test('joins and words of downlinks are events', () => {
  const event = (more: object) =>
    decoded(tts, { body: { end_device_ids: IDS, received_at: AT, ...more } }).report.readings[0]!;
  assert.equal(event({ join_accept: { session_key_id: 'x' } }).value, 'join');
  const ack = event({ downlink_ack: { f_port: 15, f_cnt: 3, correlation_ids: ['our:17'] } });
  assert.deepEqual([ack.type, ack.value, ack.meta!.correlation_ids], ['lora_event', 'downlink_ack', ['our:17']]);
  const failed = event({ downlink_failed: { downlink: { f_port: 1 }, error: { name: 'no_route' } } });
  assert.deepEqual([failed.value, failed.meta], ['downlink_failed', { f_port: 1, error: 'no_route' }]);
});

test('what is no message of the network is said so', () => {
  assert.match(problemOf(decodedAny(tts, { body: 'no json' }))!, /not (?:a )?JSON/);
  assert.match(problemOf(decodedAny(tts, { body: [1] }))!, /not (?:a )?JSON/);
  assert.match(problemOf(decodedAny(tts, { body: {} }))!, /does not identify a device/);
  assert.match(
    problemOf(decodedAny(tts, { body: { end_device_ids: { dev_eui: 'zz' } } }))!,
    /does not identify a device/,
  );
  assert.match(problemOf(decodedAny(tts, { body: { end_device_ids: IDS, service_data: {} } }))!, /not an uplink/);
});

test('a body that is nested too deeply is rejected', () => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  const ids = JSON.stringify(IDS);
  for (const inner of [
    `"uplink_message":{"decoded_payload":${deep}}`,
    `"location_solved":${deep}`,
    `"join_accept":${deep}`,
    `"downlink_failed":${deep}`,
  ]) {
    const result = decodedAny(tts, { body: `{"end_device_ids":${ids},${inner}}` });
    assert.match(problemOf(result)!, /not a JSON object/);
  }
});
