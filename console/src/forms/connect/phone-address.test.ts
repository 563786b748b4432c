import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phoneAddresses, phoneAddressIn } from './phone-address.ts';

test('an address that only this machine can use is none for a phone', () => {
  for (const wrong of [
    'http://127.0.0.1:8080',
    'http://localhost',
    'http://[::1]:80',
    'http://0.0.0.0:1',
    'ftp://a.example',
    'hello',
    '',
  ])
    assert.equal(phoneAddressIn(wrong), undefined, wrong);
  assert.equal(phoneAddressIn(' https://track.example.com/sub/ '), 'https://track.example.com/sub');
  assert.equal(phoneAddressIn('http://192.168.1.20:8080'), 'http://192.168.1.20:8080');
});

test('the public address comes first, then the one that works here, then those of the network', () => {
  const lan = { url: 'http://192.168.1.20:8080', kind: 'network' };
  assert.deepEqual(phoneAddresses([lan], 'http://127.0.0.1:8080'), ['http://192.168.1.20:8080']);
  assert.deepEqual(phoneAddresses([lan], 'http://pi.local:8080'), ['http://pi.local:8080', 'http://192.168.1.20:8080']);
  assert.deepEqual(phoneAddresses([{ url: 'https://t.example', kind: 'public' }], 'https://t.example'), [
    'https://t.example',
  ]);
  assert.deepEqual(phoneAddresses([], 'http://localhost:1'), []);
});
