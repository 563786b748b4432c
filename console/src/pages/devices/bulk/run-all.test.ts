import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@trackway/client/api-error.ts';
import { runAll } from './run-all.ts';

const NUMBERS = [1, 2, 3, 4, 5, 6, 7];

test('a failure is reported, and stops nothing', async () => {
  const progress: number[] = [];
  const { done, failed, left } = await runAll(
    NUMBERS,
    async (number) => {
      if (number === 3) throw new Error('no');
      return number * 10;
    },
    { onProgress: (finished) => progress.push(finished) },
  );
  assert.deepEqual(done.toSorted(), [10, 20, 40, 50, 60, 70]);
  assert.deepEqual(
    failed.map(({ item }) => item),
    [3],
  );
  assert.deepEqual(left, []);
  assert.equal(progress.at(-1), 7);
});

test('too many requests are sent again when there is room', async () => {
  let refusals = 2;
  const waits: number[] = [];
  const { done, failed } = await runAll(
    NUMBERS,
    async (number) => {
      if (refusals-- > 0) throw new ApiError(429, 'later', { retryAfter: 3 });
      return number;
    },
    { wait: async (ms) => void waits.push(ms) },
  );
  assert.deepEqual([done.length, failed.length], [7, 0]);
  assert.deepEqual(waits, [3000, 3000]);
});

test('what is stopped leaves the rest untouched', async () => {
  const stop = new AbortController();
  const { done, left } = await runAll(
    NUMBERS,
    async (number) => {
      stop.abort();
      return number;
    },
    { signal: stop.signal },
  );
  assert.equal(done.length + left.length, 7);
  assert.ok(left.length > 0);
});
