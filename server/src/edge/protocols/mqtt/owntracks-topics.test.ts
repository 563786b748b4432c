import assert from 'node:assert/strict';
import { test } from 'node:test';
import nacl from 'tweetnacl';
import { owntracksTopics } from './owntracks-topics.ts';

const LOCATION = { _type: 'location', lat: 46.0681, lon: 11.1512, tst: 1_700_000_000, topic: 'owntracks/joe/phone' };
const decode = (json: unknown, secret?: string) =>
  owntracksTopics.decode({
    levels: ['jane', 'pixel'],
    payload: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)),
    isRetained: false,
    now: 1_700_000_100_000,
    ...(secret !== undefined && { secret }),
  });

function pointsOf(decoded: ReturnType<typeof decode>) {
  assert.ok('said' in decoded && 'report' in decoded.said);
  return decoded.said.report.points.map(({ timestamp }) => timestamp);
}

test('who speaks is told by the topic, not by what is said on it', () => {
  const decoded = decode(LOCATION);
  assert.ok('said' in decoded);
  assert.deepEqual(decoded.names, ['jane/pixel', 'pixel']);
  assert.deepEqual(pointsOf(decoded), [1_700_000_000_000]);
});

test('what is encrypted is read with the secret of the device', () => {
  const secret = 'the secret';
  const key = Buffer.alloc(32);
  key.write(secret);
  const nonce = Buffer.alloc(24, 7);
  const box = nacl.secretbox(Buffer.from(JSON.stringify(LOCATION)), nonce, key);
  const sent = { _type: 'encrypted', data: Buffer.concat([nonce, box]).toString('base64') };
  const closed = decode(sent);
  assert.ok('said' in closed && closed.isEncrypted);
  assert.deepEqual(pointsOf(closed), []);
  assert.deepEqual(pointsOf(decode(sent, secret)), [1_700_000_000_000]);
});

test('wills, waypoints and deleted messages are ignored, and nonsense is told', () => {
  for (const nothing of [{ _type: 'lwt', tst: 1 }, { _type: 'waypoints', waypoints: [] }, ''])
    assert.ok('ignored' in decode(nothing));
  assert.ok('problem' in decode('online'));
});
