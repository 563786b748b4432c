import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paced } from './paced.ts';
import type { Fix } from './playback.ts';

const M_PER_DEGREE = 111_195;
const fix = (second: number, northM: number, speedKmh: number | null = null): Fix => ({
  at: second * 1000,
  lng: 0,
  lat: northM / M_PER_DEGREE,
  speedKmh,
  course: null,
});
const speeds = (fixes: readonly Fix[]) => paced(fixes).map(({ speedKmh }) => speedKmh && Math.round(speedKmh));

test('a fix without a speed has that of the way to it', () => {
  for (const everyS of [1, 5, 60]) {
    const ride = Array.from({ length: 100 }, (_, index) => fix(index * everyS, index * everyS * 5));
    assert.deepEqual(new Set(speeds(ride)), new Set([null, 18]));
  }
});

test('reported speeds stay; a speed that cannot be computed is unknown', () => {
  assert.deepEqual(speeds([fix(0, 0, 0), fix(10, 100, 12), fix(20, 200)]), [0, 12, 36]);
  assert.deepEqual(speeds([fix(0, 0), fix(0, 10), fix(3600, 100), fix(3601, 90_000)]), [null, null, null, null]);
});

test('something that stands still has no speed, however close its fixes are', () => {
  const remaining = Array.from({ length: 100 }, (_, index) => fix(index, (index % 2) * 5));
  assert.ok(
    speeds(remaining)
      .slice(60)
      .every((kmh) => kmh! < 1),
  );
});
