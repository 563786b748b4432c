import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mode } from '../../../api/commands.ts';
import { modesNow } from './modes-now.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const at = (minute: number) => new Date(NOW + minute * 60_000).toISOString();
const mode = (id: number, more: Partial<Mode>): Mode => ({
  id,
  deviceId: 7,
  type: 6,
  duration: 60,
  triggeredAt: at(-100),
  sent: null,
  end: null,
  sms: false,
  ...more,
});

test('what was confirmed holds until its end', () => {
  const flight = mode(1, { sent: at(-30), end: at(30) });
  assert.equal(modesNow([flight], NOW).active, flight);
  assert.equal(modesNow([flight], NOW + 30 * 60_000).active, undefined);
});

test('a mode without an end holds until another is confirmed', () => {
  const sleep = mode(1, { type: 1, duration: 0, sent: at(-50) });
  const waiting = mode(2, { type: 0 });
  assert.deepEqual(modesNow([waiting, sleep], NOW), { active: sleep, waiting: [waiting] });
  const wake = mode(2, { type: 0, sent: at(-20), end: at(-10) });
  assert.equal(modesNow([wake, sleep], NOW).active, undefined);
});
