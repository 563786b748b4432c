import assert from 'node:assert/strict';
import { test } from 'node:test';
import { teltonikaTopics } from './teltonika-topics.ts';

const IMEI = '352093081452251';
const decode = (json: unknown) =>
  teltonikaTopics.decode({
    levels: [IMEI, 'data'],
    payload: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)),
    isRetained: false,
    now: 1_700_000_000_000,
  });
const reported = (more: object) =>
  decode({ state: { reported: { ts: 1_699_999_000_000, latlng: '54.714578,25.303245', sat: 11, ...more } } });

function recordOf(more: object) {
  const decoded = reported(more);
  assert.ok('said' in decoded && 'records' in decoded.said);
  assert.deepEqual(decoded.names, [IMEI]);
  return decoded.said.records[0]!;
}

test('a record: the place, and the values under their numbers', () => {
  const record = recordOf({ pr: 0, alt: 132, ang: 270, sp: 48, evt: 0, 239: 1, 66: 12_540, 113: 87, 72: -155, 21: 4 });
  assert.deepEqual(record.location, { lat: 54.714578, lng: 25.303245 });
  assert.equal(record.timestamp, 1_699_999_000_000);
  assert.equal(record.isValid, true);
  assert.deepEqual(
    [record.altitudeM, record.courseDeg, record.speedKmh, record.sats, record.batteryPct, record.gsmSignal],
    [132, 270, 48, 11, 87, 4],
  );
  const values = new Map(record.readings!.map(({ type, value }) => [type, value]));
  assert.deepEqual([values.get('ignition'), values.get('ext_voltage'), values.get('temp')], [true, 12.54, -15.5]);
});

test('the value that caused a record is an alarm', () => {
  assert.deepEqual(recordOf({ evt: 253, 253: 2, pr: 1 }).alarms, ['harshBraking']);
});

test('a record without a fix has no place', () => {
  assert.equal(recordOf({ sat: 0, latlng: '0.000000,0.000000' }).isValid, false);
  assert.equal(recordOf({ latlng: 'nowhere' }).isValid, false);
});

test('what can’t be read is told, replies to commands are ignored', () => {
  assert.ok('problem' in decode('{'));
  assert.ok('problem' in decode({ state: { reported: { latlng: '1,2' } } }));
  assert.ok('ignored' in decode({ RSP: 'Data Link: 1' }));
  recordOf({ 1: 2 ** 60, 2: -(2 ** 70), 99999: 'x', 3: 1.5, 4: null });
});
