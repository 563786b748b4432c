import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Repeats } from './device-memory.ts';

function reported(said: string, at: number): Repeats {
  const repeats = new Repeats();
  repeats.reported('tag', said, at);
  return repeats;
}

test('a value received twice at one time is no news, and neither is what follows', () => {
  const repeats = reported('21', 1000);
  assert.equal(repeats.isNews('tag', '21', 1000), false);
  assert.equal(repeats.isNews('tag', '21', 1001), false);
  assert.equal(repeats.isNews('tag', '20', 1000), true, 'it changed');
  assert.equal(repeats.isNews('other', '21', 1000), true, 'another says it');
});

test('what does not change is news again after a while, and after a clock was set back', () => {
  const repeats = reported('21', 100_000);
  assert.equal(repeats.isNews('tag', '21', 129_999), false);
  assert.equal(repeats.isNews('tag', '21', 130_000), true);
  assert.equal(repeats.isNews('tag', '21', 99_999), true);
});

test('by the time of the sender, what is sent again or late is let through', () => {
  const repeats = reported('21', 1000);
  assert.equal(repeats.isNewsOf(1000, 'tag', '21'), true, 'it is sent again');
  assert.equal(repeats.isNewsOf(999, 'tag', '21'), true, 'it is late');
  assert.equal(repeats.isNewsOf(1001, 'tag', '21'), false);
});
