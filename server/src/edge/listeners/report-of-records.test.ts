import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlarmWord } from '../protocols/trackers/alarm-words.ts';
import type { TrackerRecord } from '../protocols/trackers/tracker.ts';
import { reportOfRecords } from './report-of-records.ts';
import { StandingAlarms } from './standing-alarms.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const AT = NOW - 5000;
const PLACE = { lat: 46.5, lng: 11.25 };

const reportOf = (records: readonly TrackerRecord[], alarms = new StandingAlarms()) =>
  reportOfRecords(records, { deviceId: 7, now: NOW, frame: Buffer.from('78780d0a', 'hex') }, alarms);

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
  const told = (at: number, standingAlarms: readonly AlarmWord[]) =>
    reportOf([{ timestamp: at, isValid: false, standingAlarms }], alarms).readings.map(({ value }) => value);
  assert.deepEqual(told(AT, ['lowBattery']), ['lowBattery']);
  assert.deepEqual(told(AT + 1, ['lowBattery', 'door']), ['door']);
  assert.deepEqual(told(AT + 1, ['lowBattery', 'door']), ['door'], 'sent again');
  assert.deepEqual(told(AT, ['lowBattery']), ['lowBattery'], 'sent again, though newer ones came');
  assert.deepEqual(told(AT + 2, ['lowBattery']), []);
  assert.deepEqual(told(AT + 3, ['lowBattery', 'door']), ['door'], 'it was off in between');
  assert.deepEqual(told(AT + 2, ['lowBattery', 'door']), [], 'an old record is no news');
});

test('the memory of standing alarms is bounded', () => {
  const alarms = new StandingAlarms(2);
  for (const deviceId of [1, 2, 3]) assert.deepEqual(alarms.risen(deviceId, ['door'], AT), ['door']);
  assert.deepEqual(alarms.risen(3, ['door'], AT + 1), []);
  assert.deepEqual(alarms.risen(1, ['door'], AT + 1), ['door'], 'the oldest was forgotten');
});

test('a record with readings alone makes no position; what is heard has its sender', () => {
  const { points, readings, gatewayReadings, asSent } = reportOf([
    {
      isValid: false,
      readings: [{ type: 'din1', value: true }],
      heard: [{ sensorDeviceId: 'AA:BB:CC:DD:EE:FF', type: 'ble_seen', value: 1, rssi: -70 }],
    },
  ]);
  assert.deepEqual(points, []);
  assert.deepEqual(readings, [{ timestamp: NOW, isTimeAssumed: true, type: 'din1', value: true }]);
  assert.deepEqual(gatewayReadings, [
    { timestamp: NOW, isTimeAssumed: true, sensorDeviceId: 'AA:BB:CC:DD:EE:FF', type: 'ble_seen', value: 1, rssi: -70 },
  ]);
  assert.equal(asSent?.(), Buffer.from('78780d0a', 'hex').toString('latin1'), 'known by its bytes');
});
