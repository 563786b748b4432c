import assert from 'node:assert/strict';
import test from 'node:test';
import { recentlyUsed } from './caches.ts';

test('it makes each thing once and forgets the stalest', () => {
  const made: string[] = [];
  const get = recentlyUsed(2, (key) => {
    made.push(key);
    return key;
  });
  for (const key of ['a', 'a', 'b', 'a', 'c', 'a', 'b']) assert.equal(get(key), key);
  assert.deepEqual(made, ['a', 'b', 'c', 'b']);
});

test('what could not be made is not remembered', () => {
  let calls = 0;
  const get = recentlyUsed(2, () => {
    calls += 1;
    if (calls === 1) throw new Error('not yet');
    return calls;
  });
  assert.throws(() => get('a'));
  assert.equal(get('a'), 2);
});
