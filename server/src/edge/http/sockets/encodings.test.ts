import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SOCKET_ENCODINGS } from '@trackway/contract/resources/sockets.ts';
import { contentOf, dataOf, UnreadableData } from './frames.ts';

const BYTES = { config: '/wAB' };

test('bytes and texts are distinguished in each encoding', () => {
  assert.deepEqual(
    SOCKET_ENCODINGS.slice(1).map((encoding) => dataOf(BYTES, encoding)),
    ['ff 00 01', '255 0 1', '/wAB'],
  );
  assert.equal(dataOf({ message: 'Grüße' }, 'hex'), '47 72 c3 bc c3 9f 65');
  assert.equal(dataOf({ message: 'hello' }, 'json'), 'hello');
  assert.deepEqual(dataOf({ message: '{"a": [1]}' }, 'json'), { a: [1] });
  assert.deepEqual(dataOf({ config: Buffer.from('{"a":1}').toString('base64'), message: 'not me' }, 'json'), { a: 1 });
  assert.equal(dataOf({ config: 'no base64!' }, 'json'), 'no base64!');
});

test('data is read in each encoding, as generously as it can be', () => {
  assert.deepEqual(contentOf('hello', 'json'), { message: 'hello' });
  assert.deepEqual(contentOf({ a: 1 }, 'json'), { message: '{"a":1}' });
  for (const data of ['ff 00 01', 'ff0001', 'FF 0001']) assert.deepEqual(contentOf(data, 'hex'), BYTES);
  for (const data of ['255 0 1', '255,0,1', '255, 0, 1']) assert.deepEqual(contentOf(data, 'decimal'), BYTES);
  assert.deepEqual(contentOf('/wAB', 'base64'), BYTES);
  assert.deepEqual(contentOf('_wAB', 'base64'), BYTES);
  for (const [data, encoding] of [
    ['f', 'hex'],
    ['xx', 'hex'],
    ['256', 'decimal'],
    ['-1', 'decimal'],
    ['a*b', 'base64'],
    ['abcde', 'base64'],
    [12, 'hex'],
    [null, 'base64'],
  ] as const)
    assert.throws(() => contentOf(data, encoding), UnreadableData, `${encoding} ${data}`);
});
