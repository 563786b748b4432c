import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { SETTINGS } from '../../app/settings.ts';
import { callerAddress, trustOf } from './trust-proxy.ts';

const read = (value: string) => SETTINGS.trustProxy.read(value);

/** The address that a server with this setting believes. */
async function believed(setting: string, forwarded: string | undefined, from = '127.0.0.1'): Promise<string> {
  const trust = trustOf(read(setting));
  const server = fastify(trust ? { trustProxy: trust } : {});
  server.get('/', async (request) => callerAddress(request));
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return (await server.inject({ url: '/', remoteAddress: from, headers })).body;
}

test('without the setting nobody is believed', async () => {
  assert.equal(await believed('false', '1.2.3.4'), '127.0.0.1');
});

test('a number of proxies: the caller cannot choose the address, however much it claims', async () => {
  assert.equal(await believed('1', '1.2.3.4'), '1.2.3.4');
  assert.equal(await believed('1', '6.6.6.6, 7.7.7.7, 1.2.3.4'), '1.2.3.4');
  assert.equal(await believed('2', '6.6.6.6, 1.2.3.4, 10.0.0.2'), '1.2.3.4');
  assert.equal(await believed('1', undefined), '127.0.0.1');
});

test('ranges of proxies: only what they say is believed', async () => {
  const ranges = '127.0.0.0/8, 10.0.0.0/8, fd00::/8';
  assert.equal(await believed(ranges, '6.6.6.6, 1.2.3.4, 10.0.0.2'), '1.2.3.4');
  assert.equal(await believed(ranges, '6.6.6.6, 1.2.3.4, fd00::2'), '1.2.3.4');
  assert.equal(await believed(ranges, '6.6.6.6', '203.0.113.9'), '203.0.113.9', 'not a proxy');
  assert.equal(await believed(ranges, '1.2.3.4', '::ffff:10.1.1.1'), '1.2.3.4');
});

test('an address with its port is the address; nonsense is not believed', async () => {
  assert.equal(await believed('1', '1.2.3.4:5678'), '1.2.3.4');
  assert.equal(await believed('1', '[2001:db8::1]:5678'), '2001:db8::1');
  assert.equal(await believed('1', 'unknown'), '127.0.0.1');
});

test('to trust everybody is refused, with what to set instead', () => {
  for (const wrong of ['true', 'yes', '1.2.3', '10.0.0.0/8;::1', '99'])
    assert.throws(() => read(wrong), /number of proxies.*10\.0\.0\.0\/8/, wrong);
});
