import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gt02 } from './gt02.ts';
import { anySession, protocolSuite } from './protocol-suite.ts';
import { goodFrames } from './testing/good-frames.ts';

const { position } = goodFrames('gt02', '123456789012345');
const HEARTBEAT = Buffer.from('68680f05040123456789012345002a1a00000d0a', 'hex');
const decode = (frame: Buffer) => gt02.decode(frame, anySession);

// Nothing but its two last bytes tells that a frame was cut off.
protocolSuite(gt02, [], [Buffer.concat([HEARTBEAT, position])]);

test('a position has the signs of its flags', () => {
  const { identities, records } = decode(position);
  assert.deepEqual(identities, ['123456789012345']);
  const [record] = records;
  assert.deepEqual(record?.location, { lat: 52.5, lng: 13.25 });
  assert.deepEqual([record?.isValid, record?.speedKmh], [true, 36]);
  assert.equal(record?.timestamp, Date.parse('2021-07-13T10:40:05Z'));
  const south = Buffer.from(position);
  south[south.length - 3] = 1;
  assert.deepEqual(decode(south).records[0]?.location, { lat: -52.5, lng: -13.25 });
});

test('a heartbeat is answered, and a reply to a command is its text', () => {
  const { identities, reply } = decode(HEARTBEAT);
  assert.deepEqual(identities, ['123456789012345']);
  assert.deepEqual([reply?.when, reply?.bytes.toString('hex')], ['now', '54681a0d0a']);
  const said = Buffer.from('686810000001234567890123450083' + '1c024f4b' + '0d0a', 'hex');
  assert.equal(decode(said).commandReply?.text, 'OK');
});
