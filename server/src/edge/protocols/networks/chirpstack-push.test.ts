import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chirpstackPush } from './chirpstack-push.ts';

const NAMES = { names: ['70B3D57ED0012ABC', '70b3d57ed0012abc'] };
const WAITING = [
  { id: 1, message: 'hello' },
  { id: 2, message: '10:0a0B' },
];
const push = (url: string, key = 'eyJ.key') =>
  chirpstackPush({ 'x-downlink-push': url, 'x-downlink-apikey': key }, WAITING, NAMES);

test('a message goes into the queue of the device, at the address that the request names', () => {
  const path = '/api/devices/70b3d57ed0012abc/queue';
  const found = push('https://lora.example:8090')!;
  assert.equal(found.messageId, 2);
  assert.equal(found.url, `https://lora.example:8090${path}`);
  assert.equal(found.headers['grpc-metadata-authorization'], 'Bearer eyJ.key');
  assert.deepEqual(JSON.parse(found.body), { queueItem: { confirmed: false, data: 'Cgs=', fPort: 10 } });
  assert.equal(push('https://lora.example/api/')!.url, `https://lora.example${path}`);
  assert.equal(push('https://lora.example/chirp')!.url, `https://lora.example/chirp${path}`);
});

test('nothing goes down without an address and a key, or that is no downlink', () => {
  assert.equal(push('no address'), undefined);
  assert.equal(chirpstackPush({ 'x-downlink-push': 'https://lora.example' }, WAITING, NAMES), undefined);
  const headers = { 'x-downlink-push': 'https://lora.example', 'x-downlink-apikey': 'k' };
  assert.equal(chirpstackPush(headers, [{ id: 1, message: 'hello' }], NAMES), undefined);
});
