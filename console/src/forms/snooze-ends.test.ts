import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SNOOZES, snoozeEnd } from './snooze-ends.ts';

test('a snooze ends after hours, on the next morning, or after a week', () => {
  const now = new Date(2026, 11, 31, 22, 30);
  assert.deepEqual(
    SNOOZES.map((snooze) => snoozeEnd(snooze, now)),
    [
      new Date(2026, 11, 31, 23, 30),
      new Date(2027, 0, 1, 6, 30),
      new Date(2027, 0, 1, 8, 0),
      new Date(2027, 0, 7, 22, 30),
    ],
  );
});
