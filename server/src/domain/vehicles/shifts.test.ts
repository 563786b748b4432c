import assert from 'node:assert/strict';
import { test } from 'node:test';
import { driverIn, LASTS_MS, SIGHTING_MS, shiftsOf, spelled, stretchesOf } from './shifts.ts';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const DRIVERS: Readonly<Record<string, number>> = { A1: 1, B2: 2 };
const shifts = (
  hands: readonly (readonly [number, number | null])[],
  tags: readonly (readonly [number, string])[],
  now = NOW,
  sightings: readonly (readonly [driverId: number, from: number, to: number])[] = [],
) =>
  shiftsOf(
    hands.map(([hours, driverId]) => ({ at: hours * HOUR, driverId })),
    tags.map(([hours, tag]) => ({ at: hours * HOUR, tag })),
    (tag) => DRIVERS[tag],
    now,
    sightings.map(([driverId, from, to]) => ({ driverId, from: from * HOUR, to: to * HOUR })),
  ).map(({ driverId, start, end, by }) => [driverId, start / HOUR, end === null ? null : end / HOUR, by]);

test('a sign-on by hand lasts until the next, or until the driver is signed off', () => {
  assert.deepEqual(shifts([[1, 1]], []), [[1, 1, null, 'hand']]);
  assert.deepEqual(
    shifts(
      [
        [1, 1],
        [3, 2],
        [5, null],
      ],
      [],
    ),
    [
      [1, 1, 3, 'hand'],
      [2, 3, 5, 'hand'],
    ],
  );
});

test('a tag signs its driver on; another tag, an unknown one or none signs off', () => {
  assert.deepEqual(
    shifts(
      [],
      [
        [90, 'A1'],
        [92, 'B2'],
        [94, 'C3'],
        [95, 'A1'],
        [96, ''],
      ],
    ),
    [
      [1, 90, 92, 'tag'],
      [2, 92, 94, 'tag'],
      [1, 95, 96, 'tag'],
    ],
  );
});

test('a tag that is not read for long signs its driver off', () => {
  const last = LASTS_MS / HOUR;
  assert.deepEqual(
    shifts(
      [],
      [
        [1, 'A1'],
        [2, 'A1'],
      ],
    ),
    [[1, 1, 2 + last, 'tag']],
  );
  assert.deepEqual(
    shifts(
      [],
      [
        [1, 'A1'],
        [50, 'A1'],
      ],
      51 * HOUR,
    ),
    [
      [1, 1, 1 + last, 'tag'],
      [1, 50, null, 'tag'],
    ],
  );
});

test('a sign-on by hand lasts though the tag of another is read on and on', () => {
  assert.deepEqual(
    shifts(
      [[92, 2]],
      [
        [90, 'A1'],
        [93, 'A1'],
        [95, 'A1'],
      ],
    ),
    [
      [1, 90, 92, 'tag'],
      [2, 92, null, 'hand'],
    ],
  );
  assert.deepEqual(
    shifts(
      [[91, null]],
      [
        [90, 'A1'],
        [92, 'A1'],
      ],
    ),
    [[1, 90, 91, 'tag']],
  );
});

test('a received tag signs on until it is not received any more, the first of several', () => {
  const lasts = SIGHTING_MS / HOUR;
  assert.deepEqual(shifts([], [], NOW, [[1, 90, 92]]), [[1, 90, 92 + lasts, 'tag']]);
  assert.deepEqual(shifts([], [], 92 * HOUR, [[1, 90, 92]]), [[1, 90, null, 'tag']]);
  // A passenger, who drives on.
  const two = [
    [1, 90, 92],
    [2, 91, 95],
    [3, 91, 91.5],
  ] as const;
  assert.deepEqual(shifts([], [], NOW, two), [
    [1, 90, 92 + lasts, 'tag'],
    [2, 92 + lasts, 95 + lasts, 'tag'],
  ]);
  // Two tags of one driver.
  assert.deepEqual(
    shifts([], [], NOW, [
      [1, 90, 92],
      [1, 91, 93],
    ]),
    [[1, 90, 93 + lasts, 'tag']],
  );
});

test('manual sign-ons and readings count in addition to a received tag', () => {
  const lasts = SIGHTING_MS / HOUR;
  // Manually in between: until a driver signs on or off.
  assert.deepEqual(shifts([[91, 2]], [], NOW, [[1, 90, 92]]), [
    [1, 90, 91, 'tag'],
    [2, 91, null, 'hand'],
  ]);
  assert.deepEqual(shifts([[80, 2]], [], NOW, [[1, 90, 92]]), [
    [2, 80, 90, 'hand'],
    [1, 90, 92 + lasts, 'tag'],
  ]);
  // Their own iButton lasts when the tag is not received any more, another one ends it.
  assert.deepEqual(shifts([], [[91, 'A1']], NOW, [[1, 90, 92]]), [[1, 90, null, 'tag']]);
  assert.deepEqual(shifts([], [[91, 'B2']], NOW, [[1, 90, 92]]), [
    [1, 90, 91, 'tag'],
    [2, 91, null, 'tag'],
  ]);
  assert.deepEqual(shifts([], [[1, 'A1']], NOW, [[2, 20, 30]]), [
    [1, 1, 20, 'tag'],
    [2, 20, 30 + lasts, 'tag'],
  ]);
});

test('a tag that is received again soon counts as received all the time', () => {
  assert.deepEqual(stretchesOf(7, []), []);
  assert.deepEqual(stretchesOf(7, [0, SIGHTING_MS, 2 * SIGHTING_MS + 1]), [
    { driverId: 7, from: 0, to: SIGHTING_MS },
    { driverId: 7, from: 2 * SIGHTING_MS + 1, to: 2 * SIGHTING_MS + 1 },
  ]);
});

test('a trip is of the driver of most of it', () => {
  const list = shiftsOf(
    [
      { at: 0, driverId: 1 },
      { at: 10, driverId: 2 },
      { at: 25, driverId: 1 },
      { at: 30, driverId: null },
    ],
    [],
    () => undefined,
    100,
  );
  assert.equal(driverIn(list, 0, 15), 1);
  assert.equal(driverIn(list, 5, 26), 2);
  assert.equal(driverIn(list, 4, 30), 2);
  assert.equal(driverIn(list, 29, 99), 1);
  assert.equal(driverIn(list, 30, 99), undefined);
  assert.equal(driverIn(list, 12, 12), 2);
});

test('tags are compared by letters and digits', () => {
  assert.equal(spelled('a1-b2:c3 '), 'A1B2C3');
});
