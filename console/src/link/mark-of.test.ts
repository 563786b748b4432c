import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markOf } from './mark-of.ts';

const NOW = Date.parse('2026-06-01T08:00:00.000Z');
const mark = (minutesAgo: number, speed: number | null) =>
  markOf({ timestamp: new Date(NOW - minutesAgo * 60_000).toISOString(), speed }, NOW);

test('a mark on a public page has the colour of what the device does', () => {
  assert.equal(mark(1, 30), 'moving');
  assert.equal(mark(1, null), 'moving');
  assert.equal(mark(1, 0), 'stopped');
  assert.equal(mark(5, 30), 'stopped');
  assert.equal(mark(60, 0), 'offline');
});
