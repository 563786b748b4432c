import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deadline, OutOfTime, SLOWEST, TooSlow } from './messages.ts';

const LIMIT_MS = 60;
const wait = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('a search is limited by the time that it computes, not by the time that it waits', () => {
  const deadline = new Deadline(LIMIT_MS, Number.POSITIVE_INFINITY);
  deadline.restart();
  wait(2 * LIMIT_MS);
  deadline.check();
  assert.throws(() => {
    for (;;) deadline.check();
  }, OutOfTime);
});

test('a search that only waits is given up as too slow', () => {
  const deadline = new Deadline(LIMIT_MS);
  deadline.restart();
  wait((SLOWEST + 1) * LIMIT_MS);
  assert.throws(() => deadline.check(), TooSlow);
});
