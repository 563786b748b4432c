import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Memory, whileUnchanged } from './caches.ts';

test('what was read is reused until anything was committed', async () => {
  let commits = 1;
  let reads = 0;
  const known = whileUnchanged(
    () => commits,
    async (key) => `${key} ${++reads}`,
  );
  assert.deepEqual([await known('a'), await known('a'), await known('b')], ['a 1', 'a 1', 'b 2']);
  commits++;
  assert.equal(await known('a'), 'a 3');
});

test('what was read before a commit is not kept after it', () => {
  let commits = 1;
  const memory = new Memory<string>(() => commits);
  assert.equal(memory.get('a'), undefined);
  commits++;
  memory.keep('a', 'read before the commit');
  assert.equal(memory.get('a'), undefined);
  memory.keep('a', 'read after it');
  assert.equal(memory.get('a'), 'read after it');
});

test('where the store does not report changes, nothing is cached', () => {
  const memory = new Memory<string>(() => undefined);
  memory.get('a');
  memory.keep('a', 'x');
  assert.equal(memory.get('a'), undefined);
});

test('what is kept is bounded', () => {
  const memory = new Memory<number>(() => 1, 3);
  for (let key = 0; key < 10; key++) {
    memory.get(String(key));
    memory.keep(String(key), key);
  }
  const left = Array.from({ length: 10 }, (_, key) => memory.get(String(key))).filter((value) => value !== undefined);
  assert.ok(left.length <= 3);
});
