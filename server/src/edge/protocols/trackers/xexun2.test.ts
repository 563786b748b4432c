import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anySession, protocolSuite } from './protocol-suite.ts';
import { goodFrames } from './testing/good-frames.ts';
import { xexun2 } from './xexun2.ts';

const { position } = goodFrames('xexun2', '123456789012345');
const decode = (frame: Buffer) => xexun2.decode(frame, anySession);

/** A frame as a device makes it. */
function frameOf(content: Buffer, type = 0x14): Buffer {
  const head = Buffer.from('faaf0000000c1234567890123450', 'hex');
  head.writeUInt16BE(type, 2);
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(content.length, 0);
  tail.writeUInt16BE(~content.reduce((all, byte) => all + byte, 0) & 0xffff, 2);
  const inner = Buffer.concat([head, tail, content]).subarray(2).toString('hex');
  const escaped = inner.replaceAll(/(..)/g, '$1 ').replaceAll('fb bf ', 'fb bf 02 ').replaceAll('fa af ', 'fb bf 01 ');
  return Buffer.from(`faaf${escaped.replaceAll(' ', '')}faaf`, 'hex');
}

function recordWith(parts: string): Buffer {
  const record = Buffer.from(`0160ed6d8514805002${parts}`, 'hex');
  return Buffer.concat([Buffer.from([1, 0, record.length]), record]);
}

protocolSuite(xexun2, [Buffer.concat([position, position])]);

test('a position in degrees and minutes', () => {
  const { identities, records, reply } = decode(position);
  assert.deepEqual(identities, ['123456789012345']);
  const [record] = records;
  assert.ok(Math.abs(record!.location!.lat - 52.5) < 1e-5);
  assert.ok(Math.abs(record!.location!.lng - 13.25) < 1e-5);
  assert.deepEqual([record?.isValid, record?.sats, record?.batteryPct, record?.isCharging], [true, 7, 100, false]);
  assert.equal(record?.timestamp, Date.parse('2021-07-13T10:40:05Z'));
  assert.equal(reply?.when, 'afterDurable');
  assert.equal(reply?.bytes.toString('hex'), 'faaf00140001123456789012345' + '0' + '0001fffe01faaf');
});

test('networks are read, marks within a frame are escaped, and damage is told', () => {
  const wifi = frameOf(recordWith('0201faaf01020304c4'));
  assert.equal(xexun2.split(Buffer.concat([wifi, position])).frames.length, 2);
  const [record] = decode(wifi).records;
  assert.deepEqual(record?.readings, [{ type: 'wifi', value: [{ mac: 'FA:AF:01:02:03:04', rssi: -60 }] }]);
  assert.deepEqual([record?.isCharging, record?.batteryPct, record?.location], [true, 80, undefined]);
  const damaged = Buffer.from(position);
  damaged[20]! ^= 1;
  assert.equal(decode(damaged).isDamaged, true);
});

test('what is not read is answered, so that it is not sent for ever', () => {
  const { problem, reply } = decode(frameOf(Buffer.from([1]), 0x20));
  assert.ok(problem !== undefined && reply !== undefined);
});
