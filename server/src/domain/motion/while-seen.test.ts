import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whileSeen } from './trip-operations.ts';

function source() {
  const seen = { ended: 0 };
  const chunks: AsyncIterableIterator<string> = {
    next: async () => ({ done: false, value: 'a' }),
    async return() {
      seen.ended++;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return { seen, chunks };
}

test('what is ended before it began ends the chunks', async () => {
  const { seen, chunks } = source();
  await whileSeen(chunks, async () => true).return!();
  assert.equal(seen.ended, 1);
});

test('who may no longer see the device gets no further chunk', async () => {
  const { seen, chunks } = source();
  let isSeen = true;
  const allowed = whileSeen(chunks, async () => isSeen);
  assert.equal((await allowed.next()).value, 'a');
  isSeen = false;
  await assert.rejects(allowed.next(), { statusCode: 403 });
  assert.equal(seen.ended, 1);
});
