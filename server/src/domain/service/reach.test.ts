import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { test } from 'node:test';
import { reachOf } from './reach.ts';

const at = (address: string, more: object = {}) =>
  ({ address, family: 'IPv4', internal: false, ...more }) as NetworkInterfaceInfo;
const networks = {
  lo: [at('127.0.0.1', { internal: true })],
  eth0: [at('192.168.1.20'), at('fe80::1', { family: 'IPv6' })],
  wlan0: [at('169.254.7.7')],
  docker0: [at('172.17.0.1')],
};
const urlsOf = (publicUrl: string, host: string, address: string) =>
  reachOf({ publicUrl, host, address: () => address, networks }).addresses.map(({ url }) => url);

test('devices are told addresses that they can reach', () => {
  assert.deepEqual(urlsOf('', '0.0.0.0', 'http://127.0.0.1:8080'), ['http://192.168.1.20:8080']);
  assert.deepEqual(urlsOf('', '::', 'http://[::1]:80'), ['http://192.168.1.20:80']);
  assert.deepEqual(urlsOf('', '192.168.1.20', 'http://192.168.1.20:9'), ['http://192.168.1.20:9']);
  assert.deepEqual(urlsOf('https://track.example.com/', '0.0.0.0', 'http://127.0.0.1:8080'), [
    'https://track.example.com',
  ]);
});

test('a server for its own machine alone says so, and names no address', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1']) {
    const { addresses, isLocalOnly } = reachOf({ publicUrl: '', host, address: () => 'http://127.0.0.1:1', networks });
    assert.deepEqual([addresses, isLocalOnly], [[], true], host);
  }
  assert.deepEqual(urlsOf('', '0.0.0.0', ''), [], 'not before it listens');
});
