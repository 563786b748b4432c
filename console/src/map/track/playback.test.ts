import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advance, type Fix, indexAt, positionAt } from './playback.ts';

const MINUTE = 60_000;
const fix = (minute: number, lng: number, more: Partial<Fix> = {}): Fix => ({
  at: minute * MINUTE,
  lng,
  lat: 0,
  speedKmh: 30,
  course: null,
  ...more,
});
const fixes = [fix(1, 10), fix(2, 11), fix(30, 12)];

test('between two fixes it is on the way, before the first and after the last where those are', () => {
  assert.equal(indexAt(fixes, 0), -1);
  assert.equal(positionAt(fixes, 0)?.lng, 10);
  assert.equal(positionAt(fixes, 1.5 * MINUTE)?.lng, 10.5);
  assert.equal(positionAt(fixes, 99 * MINUTE)?.lng, 12);
  assert.equal(positionAt([], 0), undefined);
});

test('over a gap it stays at its last position', () => {
  assert.equal(positionAt(fixes, 20 * MINUTE)?.lng, 11);
});

test('it heads to where it went next, unless it says otherwise', () => {
  assert.equal(positionAt(fixes, 1.5 * MINUTE)?.course, 90);
  assert.equal(positionAt([fix(1, 10, { course: 200 }), fix(2, 11)], 1.5 * MINUTE)?.course, 200);
});

test('trips pass at the chosen pace, stops in a moment, and the end is the end', () => {
  const day = { from: 0, to: 1440 * MINUTE };
  const trips = [
    { from: 600 * MINUTE, to: 660 * MINUTE },
    { from: 1000 * MINUTE, to: 1010 * MINUTE },
  ];
  assert.equal(advance(610 * MINUTE, 1000, 60, trips, day), 611 * MINUTE);
  assert.equal(advance(659.5 * MINUTE, 1000, 60, trips, day), 660 * MINUTE);
  assert.equal(advance(660 * MINUTE, 1000, 60, trips, day), 1000 * MINUTE);
  assert.ok(advance(660 * MINUTE, 100, 60, trips, day) < 1000 * MINUTE);
  assert.equal(advance(1010 * MINUTE, 16, 60, trips, day), day.to);
});
