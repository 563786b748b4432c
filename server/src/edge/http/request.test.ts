import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestIdOf } from './request.ts';

test('every request has an id of its own, of 20 characters', () => {
  const ids = Array.from({ length: 2000 }, () => requestIdOf({ headers: {} }));
  assert.equal(new Set(ids).size, 2000);
  for (const id of ids) assert.match(id, /^[\w-]{20}$/);
});

test('a caller names the request, where the name is short and plain', () => {
  assert.equal(requestIdOf({ headers: { 'x-request-id': 'mine-1.2' } }), 'mine-1.2');
  for (const given of ['', 'a b', 'x'.repeat(129), 'a\nb'])
    assert.match(requestIdOf({ headers: { 'x-request-id': given } }), /^[\w-]{20}$/);
});
