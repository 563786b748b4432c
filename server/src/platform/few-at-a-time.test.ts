import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FewAtATime } from './turns.ts';

test('so many run at a time, so many wait in order, and the rest is refused', async () => {
  const turns = new FewAtATime(2, 3);
  const ends: (() => void)[] = [];
  const began: number[] = [];
  const start = (n: number) =>
    turns.take(
      () => {
        began.push(n);
        return new Promise<number>((resolve) => ends.push(() => resolve(n)));
      },
      () => new Error('full'),
    );
  const all = [0, 1, 2, 3, 4].map(start);
  await assert.rejects(start(5), /full/);
  assert.deepEqual(began, [0, 1]);
  for (let n = 0; n < 5; n++) {
    ends.shift()!();
    await all[n];
    await new Promise(setImmediate);
    assert.deepEqual(began, [0, 1, 2, 3, 4].slice(0, Math.min(5, n + 3)));
  }
  const broken = turns.take(
    () => Promise.reject(new Error('broken')),
    () => new Error('full'),
  );
  await assert.rejects(broken, /broken/);
  assert.equal(
    await turns.take(
      async () => 'free again',
      () => new Error('full'),
    ),
    'free again',
  );
});
