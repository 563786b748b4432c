import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sigfox } from './sigfox.ts';
import { decoded, decodedAny, NOW, onlyPoint, problemOf, readingIn, valuesOf } from './testing.ts';

const FIELDS = {
  device: '00C1A2B3',
  time: '1772366340',
  data: '0a1b2c',
  seqNumber: '77',
  rssi: '-121.00',
  snr: 'null',
  lqi: 'GOOD',
};
const FORM = 'application/x-www-form-urlencoded';

test('a callback is the same by query, form or JSON, and numbers may be text', () => {
  const text = new URLSearchParams(FIELDS).toString();
  for (const posted of [
    { query: text },
    { body: text, contentType: FORM },
    { body: { ...FIELDS, time: 1_772_366_340, seqNumber: 77, rssi: -121, snr: null } },
  ]) {
    const { names, report } = decoded(sigfox, posted);
    assert.deepEqual(names, ['C1A2B3', '00C1A2B3', 'c1a2b3', '00c1a2b3']);
    const payload = readingIn(report.readings, 'sigfox_payload');
    assert.deepEqual(
      [payload.value, payload.timestamp, payload.rssi, payload.correlationId],
      ['0A1B2C', NOW - 60_000, -121, 'C1A2B3:77'],
    );
    assert.deepEqual(payload.meta, { seq: 77, quality: 'GOOD' });
    assert.deepEqual(report.points, []);
  }
});

test('the place that the network computed is as wide as it says', () => {
  const place = { lat: 46.5, lng: 11.3, radius: 2400, source: 2, status: 1 };
  for (const computedLocation of [place, JSON.stringify(place), { ...place, lat: '46.5', radius: '2400' }]) {
    const point = onlyPoint(decoded(sigfox, { body: { ...FIELDS, computedLocation } }));
    assert.deepEqual(
      [point.location, point.locationType, point.accuracyM, point.timestamp],
      [{ lat: 46.5, lng: 11.3 }, 'gsm', 2400, NOW - 60_000],
    );
  }
  const wifi = onlyPoint(decoded(sigfox, { body: { ...FIELDS, computedLocation: { ...place, source: 5 } } }));
  assert.equal(wifi.locationType, 'wifi');
  const failed = decoded(sigfox, { body: { ...FIELDS, computedLocation: { status: 0 } } }).report;
  assert.deepEqual([failed.points, failed.unreadable], [[], undefined]);
  assert.equal(decoded(sigfox, { body: { ...FIELDS, computedLocation: 'here' } }).report.unreadable!.length, 1);
});

test('fields of the user’s own template, and of the status of the service', () => {
  const { report } = decoded(sigfox, {
    query: 'device=1A&time=1772366340&temp=21.5&batt=3.3&level=12&lat=46.5&lng=11.3',
  });
  assert.deepEqual(valuesOf(report.readings), { battery_voltage: 3.3, temp: 21.5, level: 12 });
  const place = report.points.find(({ location }) => location !== undefined)!;
  assert.deepEqual([place.location, place.locationType], [{ lat: 46.5, lng: 11.3 }, 'gps']);
});

test('a device that asks gets the next message of eight bytes', () => {
  const message = decoded(sigfox, { body: { ...FIELDS, ack: 'true' } });
  assert.equal(message.awaitsDownlink, '00C1A2B3');
  const waiting = [
    { id: 1, message: 'hello' },
    { id: 2, message: '00112233AABBCCDD' },
  ];
  assert.deepEqual(sigfox.downlink!(message, waiting), {
    messageId: 2,
    body: { '00C1A2B3': { downlinkData: '00112233AABBCCDD' } },
  });
  assert.equal(sigfox.downlink!(message, waiting.slice(0, 1)), undefined);
  assert.equal(decoded(sigfox, { body: { ...FIELDS, ack: 'false' } }).awaitsDownlink, undefined);
});

test('without a device it can’t be used', () => {
  assert.match(problemOf(decodedAny(sigfox, { body: { time: 1 } }))!, /does not identify a device/);
  assert.match(problemOf(decodedAny(sigfox, { body: 'x', contentType: 'text/plain' }))!, /does not identify a device/);
});
