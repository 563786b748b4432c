import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gt30 } from './gt30.ts';
import { meitrack } from './meitrack.ts';
import { anySession, protocolSuite } from './protocol-suite.ts';
import { goodFrames } from './testing/good-frames.ts';

const { position } = goodFrames('gt30', '123456789012345');
const decode = (frame: Buffer, more = {}) => gt30.decode(frame, { ...anySession, ...more });

protocolSuite(gt30, [Buffer.concat([position, position])]);

test('a position in knots, of the device that its head names', () => {
  const { identities, records } = decode(position);
  assert.deepEqual(identities, ['23456789012345']);
  const [record] = records;
  assert.deepEqual(record?.location, { lat: 52.5, lng: 13.25 });
  assert.deepEqual([record?.isValid, record?.courseDeg, record?.altitudeM], [true, 90, 34]);
  assert.ok(Math.abs(record!.speedKmh! - 36) < 0.01);
  assert.equal(record?.timestamp, Date.parse('2021-07-13T10:40:05Z'));
});

test('an alarm stands before the time, and a wrong checksum is damage', () => {
  const alarm = Buffer.from(position.toString().replace('9955', '9999\x01'));
  assert.equal(decode(alarm).isDamaged, true);
  assert.deepEqual(decode(alarm, { acceptsWrongChecksum: true }).records[0]?.alarms, ['sos']);
});

test('it is told from Meitrack by the comma behind the length', () => {
  const other = goodFrames('meitrack', '123456789012345').position;
  assert.equal(gt30.recognise(other), 'no');
  assert.equal(meitrack.recognise(other), 'yes');
});
