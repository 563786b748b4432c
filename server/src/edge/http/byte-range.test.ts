import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangeOf } from './map-file-route.ts';

test('a range is read as RFC 9110 says', () => {
  for (const [header, expected] of [
    [undefined, 'whole'],
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=0-99', { first: 0, last: 99 }],
    ['Bytes=90-', { first: 90, last: 99 }],
    ['bytes=90-1000', { first: 90, last: 99 }],
    ['bytes=-10', { first: 90, last: 99 }],
    ['bytes=-1000', { first: 0, last: 99 }],
    ['bytes=100-', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=100-200', 'none'],
    ['bytes=5-4', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
    ['items=0-1', 'whole'],
    ['bytes=1e1-20', 'whole'],
    ['bytes=0x1-2', 'whole'],
    [`bytes=${'9'.repeat(400)}-`, 'none'],
  ] as const)
    assert.deepEqual(rangeOf(header, 100), expected, header);
  assert.equal(rangeOf('bytes=0-', 0), 'none', 'an empty file has no part');
});
