import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AlarmWord } from '../protocols/trackers/alarm-words.ts';
import type { TrackerRecord } from '../protocols/trackers/tracker.ts';
import { Repeats, StandingAlarms } from './device-memory.ts';
import { reportOfRecords } from './report-of-records.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const AT = NOW - 5000;
const PLACE = { lat: 46.5, lng: 11.25 };

const reportOf = (records: readonly TrackerRecord[], alarms = new StandingAlarms(), sightings = new Repeats()) =>
  reportOfRecords(records, { deviceId: 7, now: NOW, frame: Buffer.from('78780d0a', 'hex') }, { alarms, sightings });

/** Without what is not set. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

test('a record with a place the device vouches for is a position', () => {
  const { points, readings } = reportOf([
    { timestamp: AT, isValid: true, location: PLACE, speedKmh: 50, courseDeg: 90, sats: 9, isCharging: true },
  ]);
  assert.deepEqual(plain(points), [
    { timestamp: AT, isTimeAssumed: false, location: PLACE, speedKmh: 50, courseDeg: 90, sats: 9, averageCharge: 255 },
  ]);
  assert.deepEqual(readings, []);
});

test('the serving cell is part of a position with a fix, and a reading otherwise', () => {
  const value = { mcc: 262, mnc: 1, lac: 6360, cid: 24_897 };
  const cells = { type: 'cells', value: [value, { ...value, cid: 24_898 }] };
  const record = { timestamp: AT, readings: [{ type: 'cell', value, meta: { rssi: -60 } }, cells] };
  const fixed = reportOf([{ ...record, isValid: true, location: PLACE }]);
  assert.deepEqual(fixed.points[0]!.cell, { ...value, rssi: -60 });
  assert.deepEqual(
    fixed.readings.map(({ type }) => type),
    ['cells'],
  );
  const lost = reportOf([{ ...record, isValid: false, location: PLACE }]);
  assert.equal(lost.points[0]!.cell, undefined);
  assert.deepEqual(
    lost.readings.map(({ type }) => type),
    ['cell', 'cells', 'last_place'],
  );
});

test('a place the device does not vouch for is where it was last known to be', () => {
  const { points, readings } = reportOf([{ timestamp: AT, isValid: false, location: PLACE, speedKmh: 50 }]);
  assert.deepEqual(plain(points), [{ timestamp: AT, isTimeAssumed: false, locationType: 'invalid' }]);
  assert.deepEqual(readings, [{ timestamp: AT, isTimeAssumed: false, type: 'last_place', value: PLACE }]);
});

test('zeros, and places that do not exist, are no fix, whatever the flag says', () => {
  for (const location of [
    { lat: 0, lng: 0 },
    { lat: 91, lng: 0 },
    { lat: 1, lng: -181 },
    { lat: Number.NaN, lng: 1 },
  ])
    for (const isValid of [true, false]) {
      const { points, readings } = reportOf([{ timestamp: AT, isValid, location }]);
      assert.deepEqual(plain(points), [{ timestamp: AT, isTimeAssumed: false, locationType: 'invalid' }]);
      assert.deepEqual(readings, []);
    }
});

test('an alarm is a reading and a bit; the ignition is a reading alone', () => {
  const { points, readings } = reportOf([
    { timestamp: AT, isValid: true, location: PLACE, alarms: ['sos', 'jamming', 'ignitionOn'] },
  ]);
  assert.equal(points[0]!.alertType, 12);
  assert.deepEqual(
    readings.map(({ type, value }) => [type, value]),
    [
      ['alarm', 'sos'],
      ['alarm', 'jamming'],
      ['ignition', true],
    ],
  );
  const off = reportOf([
    { timestamp: AT, isValid: false, alarms: ['ignitionOff'], readings: [{ type: 'ignition', value: false }] },
  ]);
  assert.deepEqual([off.points, off.readings.length], [[], 1]);
});

test('an alarm that stays on is raised once, and a record sent again says the same again', () => {
  const alarms = new StandingAlarms();
  const reported = (at: number, standingAlarms: readonly AlarmWord[]) =>
    reportOf([{ timestamp: at, isValid: false, standingAlarms }], alarms).readings.map(({ value }) => value);
  assert.deepEqual(reported(AT, ['lowBattery']), ['lowBattery']);
  assert.deepEqual(reported(AT + 1, ['lowBattery', 'door']), ['door']);
  assert.deepEqual(reported(AT + 1, ['lowBattery', 'door']), ['door'], 'sent again');
  assert.deepEqual(reported(AT, ['lowBattery']), ['lowBattery'], 'sent again, though newer ones came');
  assert.deepEqual(reported(AT + 2, ['lowBattery']), []);
  assert.deepEqual(reported(AT + 3, ['lowBattery', 'door']), ['door'], 'it was off in between');
  assert.deepEqual(reported(AT + 2, ['lowBattery', 'door']), [], 'an old record is no news');
});

test('the memory of standing alarms is bounded', () => {
  const alarms = new StandingAlarms(2);
  for (const deviceId of [1, 2, 3]) assert.deepEqual(alarms.risen(deviceId, ['door'], AT), ['door']);
  assert.deepEqual(alarms.risen(3, ['door'], AT + 1), []);
  assert.deepEqual(alarms.risen(1, ['door'], AT + 1), ['door'], 'the oldest was forgotten');
});

test('a record with readings alone makes no position; what is received by radio has its sender', () => {
  const { points, readings, gatewayReadings, asSent } = reportOf([
    {
      isValid: false,
      readings: [{ type: 'din1', value: true }],
      tagReadings: [{ sensorDeviceId: 'AA:BB:CC:DD:EE:FF', type: 'ble_seen', value: 1, rssi: -70 }],
    },
  ]);
  assert.deepEqual(points, []);
  assert.deepEqual(readings, [{ timestamp: NOW, isTimeAssumed: true, type: 'din1', value: true }]);
  assert.deepEqual(gatewayReadings, [
    { timestamp: NOW, isTimeAssumed: true, sensorDeviceId: 'AA:BB:CC:DD:EE:FF', type: 'ble_seen', value: 1, rssi: -70 },
  ]);
  assert.equal(asSent?.(), Buffer.from('78780d0a', 'hex').toString('latin1'), 'known by its bytes');
});

test('an unchanged sighting is stored every half minute; a change is stored at once', () => {
  const sightings = new Repeats();
  const tagReadings = (second: number, value: number, tag = 'tag') => {
    const record = { isValid: false, tagReadings: [{ sensorDeviceId: tag, type: 'temp', value, rssi: -60 - second }] };
    const { gatewayReadings } = reportOf([{ timestamp: AT + second * 1000, ...record }], undefined, sightings);
    return gatewayReadings.length;
  };
  assert.deepEqual(
    [
      tagReadings(0, 20),
      tagReadings(10, 20),
      tagReadings(20, 21),
      tagReadings(30, 21),
      tagReadings(49, 21),
      tagReadings(50, 21),
      tagReadings(51, 21),
    ],
    [1, 0, 1, 0, 0, 1, 0],
  );
  assert.equal(tagReadings(51, 21, 'another'), 1);
  assert.equal(tagReadings(50, 21), 1, 'sent again: perhaps it was not stored');
  assert.equal(tagReadings(5, 20), 1, 'late');
});

test('however often tags are received, what is stored is bounded by time and by what changed', () => {
  const sighting = fc.record({ gapS: fc.integer({ min: 1, max: 40 }), value: fc.integer({ min: 0, max: 2 }) });
  fc.assert(
    fc.property(fc.array(sighting, { minLength: 1, maxLength: 60 }), (reported) => {
      const sightings = new Repeats();
      let at = AT;
      let [stored, changes, last] = [0, 0, Number.NaN];
      for (const { gapS, value } of reported) {
        at += gapS * 1000;
        if (value !== last) changes++;
        last = value;
        const tagReadings = [{ sensorDeviceId: 'tag', type: 'temp', value }];
        stored += reportOf([{ timestamp: at, isValid: false, tagReadings }], undefined, sightings).gatewayReadings
          .length;
      }
      assert.ok(stored >= changes);
      assert.ok(stored <= changes + (at - AT) / 30_000);
    }),
  );
});
