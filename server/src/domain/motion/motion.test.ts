import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Located } from '../fix.ts';
import { begin, type Motion, move, tripSoFar } from './motion.ts';
import { trackOf } from './trip-track.ts';

const START = Date.parse('2026-06-01T08:00:00.000Z');
const M_PER_DEGREE = 111_195;

/** A fix of a device that reports no speed. */
const untold = (second: number, northM: number, more: Partial<Located> = {}): Located => ({
  at: START + second * 1000,
  pointId: second,
  place: { lat: 50 + northM / M_PER_DEGREE, lng: 8 },
  accuracyM: 10,
  alerts: 0,
  ...more,
});

function ride(fixes: readonly Located[]) {
  let motion: Motion = begin(fixes[0]!);
  for (const fix of fixes.slice(1)) motion = move(motion, fix).motion;
  return tripSoFar(motion)!;
}

const steady = (everyS: number, count: number, kmh: number) =>
  Array.from({ length: count }, (_, index) => untold(index * everyS, (index * everyS * kmh) / 3.6));

for (const everyS of [1, 5, 10, 60])
  test(`a steady ride with a fix without a speed every ${everyS} s has a highest speed, and no idling`, () => {
    const fixes = steady(everyS, 200, 19);
    const trip = ride(fixes);
    assert.ok(Math.abs(trip.maxSpeedKmh - 19) < 0.5, `${trip.maxSpeedKmh} km/h`);
    assert.equal(trip.idleMs, 0);
    const { moved, speedKmh } = trackOf(fixes);
    assert.ok(moved.slice(1).every((value) => value === 1));
    assert.ok(Math.abs(speedKmh!.at(-1)! - 19) < 0.5, `${speedKmh!.at(-1)} km/h at the end`);
  });

test('a pause of a device that reports no speed is idling, though its fixes wander', () => {
  const there = steady(5, 40, 36);
  const waits = Array.from({ length: 24 }, (_, index) => untold(200 + index * 5, 1950 + (index % 2) * 6));
  const on = Array.from({ length: 40 }, (_, index) => untold(320 + index * 5, 1950 + (index + 1) * 50));
  const trip = ride([...there, ...waits, ...on]);
  assert.ok(trip.idleMs >= 90_000 && trip.idleMs <= 130_000, `${trip.idleMs} ms`);
  assert.ok(Math.abs(trip.maxSpeedKmh - 36) < 2, `${trip.maxSpeedKmh} km/h`);
});

test('a position far off, or known only roughly, is no highest speed', () => {
  const fixes = steady(10, 60, 36);
  const off = fixes.with(30, untold(300, 90_000));
  assert.ok(ride(off).maxSpeedKmh < 40, `${ride(off).maxSpeedKmh} km/h`);
  const rough = fixes.with(30, untold(300, 4500, { accuracyM: 500 }));
  assert.ok(ride(rough).maxSpeedKmh < 40, `${ride(rough).maxSpeedKmh} km/h`);
});

test('the reported speed is used, not the speed computed from the path', () => {
  const reported = steady(10, 60, 36).map((fix) => ({ ...fix, speedKmh: 30 }));
  assert.equal(ride(reported).maxSpeedKmh, 30);
});
