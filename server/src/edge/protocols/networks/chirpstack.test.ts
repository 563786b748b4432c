import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chirpstack } from './chirpstack.ts';
import { decoded, decodedAny, NOW, onlyPoint, problemOf, readingIn, valuesOf } from './testing.ts';

const DEVICE = { tenantName: 't', applicationName: 'farm', deviceName: 'probe', devEui: '70b3d57ed0012abc', tags: {} };
const UP = {
  deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
  time: '2026-03-01T11:59:58.123+00:00',
  deviceInfo: DEVICE,
  devAddr: '00189440',
  dr: 5,
  fCnt: 10,
  fPort: 85,
  data: 'AWcA4Q==',
  rxInfo: [{ gatewayId: '0016c001f153a14c', uplinkId: 1, rssi: -57, snr: 10, location: { latitude: 1, longitude: 2 } }],
  txInfo: {
    frequency: 868_100_000,
    modulation: { lora: { bandwidth: 125_000, spreadingFactor: 9, codeRate: 'CR_4_5' } },
  },
};
const at = (event: string, body: object) => decoded(chirpstack, { query: `event=${event}`, body });

test('an uplink is read by the names of its object, or as Cayenne LPP, and the payload is kept', () => {
  const { names, report, receivedBy } = at('up', {
    ...UP,
    object: { temperature: 4.5, gps: { lat: 46.5, lng: 11.3 } },
  });
  assert.equal(names[0], '70B3D57ED0012ABC');
  assert.deepEqual(valuesOf(report.readings), { lora_payload: '016700E1', temp: 4.5 });
  const temp = readingIn(report.readings, 'temp');
  assert.deepEqual([temp.timestamp, temp.correlationId], [NOW - 1877, UP.deduplicationId]);
  assert.deepEqual(report.points[0]!.location, { lat: 46.5, lng: 11.3 });
  assert.deepEqual(receivedBy[0]!.names, ['0016C001F153A14C', '0016c001f153a14c']);
  assert.deepEqual(receivedBy[0]!.seen.value, { rssi: -57, snr: 10, sf: 9 });
  assert.equal(readingIn(at('up', UP).report.readings, 'temp').value, 22.5);
  assert.equal(decoded(chirpstack, { body: UP }).report.readings.length, 2, 'without the event in the address');
});

test('the number of the network tells frames apart', () => {
  const frame = (more: object) => at('up', { ...UP, ...more }).report.asSent!();
  assert.equal(frame({ time: '2026-03-01T11:59:59Z' }), frame({}));
  assert.notEqual(frame({ deduplicationId: 'other' }), frame({}));
});

test('status, place and other events', () => {
  const base = { deduplicationId: 'd', time: UP.time, deviceInfo: DEVICE };
  const status = at('status', { ...base, margin: 7, externalPowerSource: false, batteryLevel: 75.5 }).report;
  assert.deepEqual(valuesOf(status.readings), { battery: 75.5, lora_status: { margin: 7, externalPower: false } });
  assert.equal(status.points[0]!.batteryPct, 75.5);
  const external = at('status', { ...base, margin: 7, externalPowerSource: true, batteryLevel: 0 }).report;
  assert.deepEqual(external.points, []);
  for (const [source, type] of [
    ['GPS', 'gps'],
    ['GEO_RESOLVER_TDOA', 'gsm'],
    ['GEO_RESOLVER_GNSS', 'gps'],
    ['GEO_RESOLVER_WIFI', 'wifi'],
  ]) {
    const point = onlyPoint(
      at('location', { ...base, location: { latitude: 46.5, longitude: 11.3, accuracy: 40, source } }),
    );
    assert.deepEqual([point.locationType, point.accuracyM], [type, 40]);
  }
  assert.equal(at('location', base).report.unreadable!.length, 1);
  assert.equal(at('join', base).report.readings[0]!.value, 'join');
  assert.equal(at('ack', { ...base, acknowledged: true, fCntDown: 4 }).report.readings[0]!.value, 'downlink_ack');
  assert.equal(at('ack', base).report.readings[0]!.value, 'downlink_nack');
  assert.equal(at('txack', base).report.readings[0]!.value, 'downlink_sent');
  const log = at('log', { ...base, level: 'ERROR', code: 'UPLINK_CODEC', description: 'x is not defined' });
  assert.deepEqual(log.report.readings[0]!.meta, {
    level: 'ERROR',
    code: 'UPLINK_CODEC',
    description: 'x is not defined',
  });
  assert.match(at('integration', base).ignored!, /not used/);
});

test('version 3, other encodings and bodies without a device are said so', () => {
  const old = {
    applicationID: '1',
    deviceName: 'probe',
    devEUI: 'cLPVftABKrw=',
    fPort: 1,
    data: 'AA==',
    objectJSON: '{}',
  };
  assert.match(problemOf(decodedAny(chirpstack, { query: 'event=up', body: old }))!, /ChirpStack 3/);
  const binary = { query: 'event=up', body: '\u0008\u0001', contentType: 'application/octet-stream' };
  assert.match(problemOf(decodedAny(chirpstack, binary))!, /choose JSON/);
  assert.match(
    problemOf(decodedAny(chirpstack, { query: 'event=up', body: { fCnt: 1 } }))!,
    /does not identify a device/,
  );
});
