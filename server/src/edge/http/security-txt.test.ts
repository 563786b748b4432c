import assert from 'node:assert/strict';
import test from 'node:test';
import { fastify } from 'fastify';
import { mountSecurityTxt } from './security-headers.ts';

async function answerWith(contact: string) {
  const server = fastify();
  mountSecurityTxt(server, contact);
  return server.inject('/.well-known/security.txt');
}

test('names the contact of the operator, and until when that holds', async () => {
  const { statusCode, headers, body } = await answerWith('security@example.org');
  assert.equal(statusCode, 200);
  assert.match(String(headers['content-type']), /^text\/plain/);
  assert.match(body, /^Contact: mailto:security@example\.org$/m);
  const expires = Date.parse(/^Expires: (.+)$/m.exec(body)![1]!);
  assert.ok(expires > Date.now() && expires < Date.now() + 366 * 86_400_000);
});

test('takes a web address as it is', async () => {
  assert.match((await answerWith('https://example.org/security')).body, /^Contact: https:\/\/example\.org\/security$/m);
});

test('says what to set where there is none', async () => {
  const { statusCode, body } = await answerWith('');
  assert.equal(statusCode, 404);
  assert.match(body, /TRACKWAY_SECURITY_CONTACT/);
});
