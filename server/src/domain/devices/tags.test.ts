import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onePerName, requireTagBounds, tagName, tagOf, tagValue, withoutTag, withTag } from './tags.ts';

test('a tag is a name and a value, parted by the first colon', () => {
  assert.deepEqual([tagName('a:b:c'), tagValue('a:b:c')], ['a', 'b:c']);
  assert.deepEqual([tagName('spare'), tagValue('spare')], ['spare', '']);
  assert.deepEqual([tagOf('spare', ''), tagOf('a', 'b:c')], ['spare', 'a:b:c']);
});

test('a name has one value: the last one, in the place of the first', () => {
  assert.deepEqual(onePerName(['a:1', 'spare', 'a:2', 'spare:']), ['a:2', 'spare']);
  assert.deepEqual(withTag(['a:1', 'b:2'], 'a:3'), ['a:3', 'b:2']);
  assert.deepEqual(withTag(['a:1'], 'A:1'), ['a:1', 'A:1'], 'names compare exactly');
  assert.deepEqual(withTag(['a:1'], '__proto__:1'), ['a:1', '__proto__:1']);
  assert.deepEqual(withoutTag(['a:1', 'b'], 'b'), ['a:1']);
});

test('a device has at most 100 tags of at most 100 characters', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => `${index}:x`);
  requireTagBounds(hundred);
  assert.throws(() => requireTagBounds([...hundred, 'one more']));
  requireTagBounds([`a:${'x'.repeat(98)}`]);
  assert.throws(() => requireTagBounds([`a:${'x'.repeat(99)}`]));
});
