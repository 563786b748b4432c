import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsTls } from './smtp-lines.ts';

test('a log-in to a mail server elsewhere needs TLS, unless the operator says otherwise', () => {
  for (const url of ['smtp://a:b@mail.example.com:587', 'smtp://a:b@10.0.0.1', 'smtp://a:b@[2001:db8::1]:25'])
    assert.equal(needsTls(url), true, url);
  for (const url of [
    'smtp://a:b@127.0.0.1:25',
    'smtp://a:b@localhost',
    'smtp://a:b@[::1]:25',
    'smtp://a:b@mail?requireTLS=false',
  ])
    assert.equal(needsTls(url), false, url);
});
