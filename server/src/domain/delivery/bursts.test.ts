import assert from 'node:assert/strict';
import { test } from 'node:test';
import { burstUntil, MAX_A_MINUTE } from './people.ts';

const MINUTE = 60_000;

test('so many a minute may go; one more waits for the end of the minute', () => {
  const noon = Date.parse('2026-06-01T12:00:00Z');
  for (let sent = 0; sent < MAX_A_MINUTE; sent++) assert.equal(burstUntil(sent, noon), undefined);
  assert.equal(burstUntil(MAX_A_MINUTE, noon), noon + MINUTE);
  assert.equal(burstUntil(MAX_A_MINUTE, noon + 59_999), noon + MINUTE);
  assert.equal(burstUntil(500, noon + MINUTE), noon + 2 * MINUTE);
});
