import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nowOf } from './fleet-device.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const MINUTE = 60_000;
const OFFLINE_AFTER_MIN = 15;

/** What is said of a device whose last report came so many minutes ago. */
const said = (minutesAgo: number, known: { moving: boolean | null; speedKmh: number | null }) =>
  nowOf(
    { ...known, course: 90, at: NOW - minutesAgo * MINUTE, lastSeenAt: NOW - minutesAgo * MINUTE },
    NOW,
    OFFLINE_AFTER_MIN,
  );
const nothing = { isPast: false, speedKmh: null, course: null };

test('what moves has a speed and a heading', () => {
  assert.deepEqual(said(0, { moving: true, speedKmh: 48 }), {
    state: 'moving',
    isPast: false,
    speedKmh: 48,
    course: 90,
  });
  assert.equal(said(0, { moving: true, speedKmh: null }).state, 'moving', 'a device need not say how fast');
});

test('nothing moves at a speed that is written as 0', () => {
  for (const speedKmh of [0, 0.3, 0.8])
    assert.deepEqual(said(0, { moving: true, speedKmh }), { state: 'stopped', ...nothing });
  assert.equal(said(0, { moving: true, speedKmh: 0.9 }).state, 'moving');
});

test('the speed of some minutes ago is not the speed now', () => {
  assert.deepEqual(said(6, { moving: true, speedKmh: 11 }), { state: 'moving', ...nothing, isPast: true });
  assert.equal(said(2, { moving: true, speedKmh: 11 }).speedKmh, 11);
});

test('a device that stands or has not reported for long has no speed', () => {
  assert.deepEqual(said(0, { moving: false, speedKmh: 7 }), { state: 'stopped', ...nothing });
  assert.deepEqual(said(0, { moving: null, speedKmh: 7 }), { state: 'stopped', ...nothing });
  assert.deepEqual(said(16, { moving: true, speedKmh: 7 }), { state: 'offline', ...nothing });
  const silent = { lastSeenAt: undefined, moving: true, speedKmh: 7, course: 1, at: 0 };
  assert.equal(nowOf(silent, NOW, OFFLINE_AFTER_MIN).state, 'offline');
});
