import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formObject } from './body.ts';

const plain = (text: string) => JSON.parse(JSON.stringify(formObject(text)));

test('brackets make objects and lists, as deep as a body goes', () => {
  assert.deepEqual(plain('name=a+b&center[lat]=1&center[lng]=2'), { name: 'a b', center: { lat: '1', lng: '2' } });
  assert.deepEqual(plain('outline[0][lat]=1&outline[0][lng]=2&outline[1][lat]=3'), {
    outline: [{ lat: '1', lng: '2' }, { lat: '3' }],
  });
  assert.deepEqual(plain('tags[]=x&tags[]=y&value[objects][]=1'), { tags: ['x', 'y'], value: { objects: ['1'] } });
});

test('what would be lost is refused', () => {
  for (const text of ['a=1&a=2', 'a=1&a[b]=2', 'a[b]=1&a[b]=2', 'a[b]=1&a[b][c]=2', 'a[b][c][d][e][f][g]=1']) {
    assert.throws(() => formObject(text), { statusCode: 400 }, text);
  }
});

test('names that reach behind objects are just names', () => {
  const body = formObject('__proto__[admin]=1&constructor=2');
  assert.equal(Object.getPrototypeOf(body), null);
  assert.equal(({} as { admin?: string }).admin, undefined);
});
