import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailureLimit } from './rate-limit.ts';

const NOW = Date.parse('2026-06-01T12:00:10.000Z');

test('an address that fails too often is refused for the rest of the minute, but not what was right there', () => {
  const failures = new FailureLimit(3);
  failures.succeeded('a', 'good key');
  for (let n = 0; n < 3; n++) {
    failures.check('a', NOW, 'guess');
    failures.failed('a', NOW);
  }
  assert.throws(() => failures.check('a', NOW, 'guess'), { statusCode: 429, headers: { 'retry-after': '50' } });
  assert.throws(() => failures.check('a', NOW), { statusCode: 429 });
  failures.check('a', NOW, 'good key');
  assert.throws(() => failures.check('a', NOW, 'good'), { statusCode: 429 });
  failures.check('b', NOW, 'guess');
  failures.check('a', NOW + 60_000, 'guess');
});

test('a limit of 0 is none', () => {
  const failures = new FailureLimit(0);
  for (let n = 0; n < 100; n++) failures.failed('a', NOW);
  failures.check('a', NOW, 'guess');
});
