import assert from 'node:assert/strict';
import test from 'node:test';
import { Pace } from './pace.ts';

test('what happened in the last minute counts, what is older does not', () => {
  const pace = new Pace();
  const start = 1_000_000_000_000;
  pace.note(2, start);
  pace.note(3, start + 500);
  pace.note(5, start + 30_000);
  assert.equal(pace.perMinute(start + 59_000), 10);
  assert.equal(pace.perMinute(start + 61_000), 5);
  // The count of a second is reused a minute later, without the old count.
  pace.note(7, start + 60_000);
  assert.equal(pace.perMinute(start + 60_000), 12);
  assert.equal(pace.perMinute(start + 200_000), 0);
});
