import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Place } from '../../platform/sphere.ts';
import { visitsOf } from './visits.ts';

const IN = { lat: 1, lng: 1 };
const OUT = { lat: 2, lng: 2 };
const insideAt = ({ lat }: Place) => (lat === 1 ? [7] : []);
const visits = (moments: readonly (readonly [at: number, place: Place])[], from = 0, to = 100) =>
  visitsOf(
    moments.map(([at, place]) => ({ at, place })),
    { from, to },
    insideAt,
  ).map(({ start, end, entered, left }) => [start, end, entered, left]);

test('of two places at one moment the last counts, so a stay is not cut in two', () => {
  assert.deepEqual(
    visits([
      [10, OUT],
      [20, IN],
      [30, OUT],
      [30, IN],
      [40, OUT],
    ]),
    [[20, 40, true, true]],
  );
});

test('a stay is cut at the edges of the range, and says so', () => {
  assert.deepEqual(
    visits(
      [
        [10, OUT],
        [20, IN],
      ],
      30,
      50,
    ),
    [[30, 50, false, false]],
  );
  assert.deepEqual(
    visits(
      [
        [20, IN],
        [40, OUT],
      ],
      0,
      30,
    ),
    [[20, 30, false, false]],
  );
  assert.deepEqual(
    visits(
      [
        [10, OUT],
        [20, IN],
        [30, OUT],
      ],
      30,
      50,
    ),
    [],
  );
});
