import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMover, createParked, type Mover } from './actor.ts';
import { createCity } from './city.ts';
import { type Crossing, trueCrossings } from './crossings.ts';
import { shapeOf } from './fence-shape.ts';
import { cityFences, edgeFence } from './fences.ts';
import { distanceM, type Place } from './ground.ts';
import { truthAt } from './truth.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 3, 15, 6);

/** A straight street is a hair's breadth off the straight line of the fence's own plane. */
const TOLERANCE_MS = 30;

/** Whether one is inside at a time, by the crossings of the time before. */
const insideAt = (crossings: readonly Crossing[], wasInside: boolean, at: number) => {
  const last = crossings.findLast((crossing) => crossing.at <= at);
  return last === undefined ? wasInside : last.kind === 'entry';
};

for (const [where, center] of [
  ['in Portugal', undefined],
  ['across the antimeridian', { lat: -17, lng: 180 }],
  ['far north', { lat: 71, lng: 25 }],
] as const) {
  test(`calculated crossings equal finely sampled ones, ${where}`, () => {
    const city = createCity({ seed: 9, center });
    const fences = cityFences(city, 20);
    fc.assert(
      fc.property(
        fc.constantFrom<Mover['kind'][]>('vehicle', 'cyclist', 'walker'),
        fc.integer({ min: 0, max: 1e6 }),
        fc.constantFrom(...fences),
        fc.integer({ min: 0, max: 24 }),
        (kind, seed, fence, hour) => {
          const mover = createMover(city, { kind, seed, shift: 'always' });
          const [from, to] = [START + hour * HOUR_MS, START + (hour + 4) * HOUR_MS];
          const shape = shapeOf(fence);
          const isInside = (at: number) => shape.isInside(truthAt(mover, at).location);
          const crossings = trueCrossings(mover, fence, from, to);
          const wasInside = isInside(from);
          for (let at = from; at < to; at += 1000) {
            if (crossings.some((crossing) => Math.abs(crossing.at - at) < TOLERANCE_MS)) continue;
            assert.equal(isInside(at), insideAt(crossings, wasInside, at), new Date(at).toISOString());
          }
          crossings.forEach(({ kind, at }, i) => {
            const beside = Math.min(
              TOLERANCE_MS,
              (at - (crossings[i - 1]?.at ?? from)) / 2,
              ((crossings[i + 1]?.at ?? to) - at) / 2,
            );
            // Sampling cannot detect a corner that is only touched.
            if (beside < TOLERANCE_MS) return;
            assert.equal(isInside(at - beside), kind === 'exit');
            assert.equal(isInside(at + beside), kind === 'entry');
          });
        },
      ),
      { numRuns: 25 },
    );
  });
}

test('the crossings of a range are those of its parts together', () => {
  const city = createCity({ seed: 2 });
  const [fence] = cityFences(city, 7).slice(6);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1, max: 48 * 60 - 1 }), (seed, minute) => {
      const mover = createMover(city, { seed, shift: 'always' });
      const [middle, end] = [START + minute * 60_000, START + 48 * HOUR_MS];
      assert.deepEqual(
        [...trueCrossings(mover, fence!, START, middle), ...trueCrossings(mover, fence!, middle, end)],
        trueCrossings(mover, fence!, START, end),
      );
    }),
    { numRuns: 30 },
  );
});

test('entries and exits alternate', () => {
  const city = createCity({ seed: 2 });
  const mover = createMover(city, { shift: 'always' });
  for (const fence of cityFences(city)) {
    const kinds = trueCrossings(mover, fence, START, START + 72 * HOUR_MS).map(({ kind }) => kind);
    kinds.forEach((kind, i) => {
      assert.notEqual(kind, kinds[i + 1]);
    });
  }
});

test('an edge fence has the parked device at its edge', () => {
  const city = createCity({ center: { lat: 60, lng: -180 } });
  fc.assert(
    fc.property(
      fc.integer({ min: -40, max: 40 }).filter((m) => m !== 0),
      fc.integer({ min: 0, max: 359 }),
      (insideM, bearing) => {
        const at: Place = { lat: 60.01, lng: 179.99 };
        const parked = createParked(city, at);
        const fence = edgeFence(city, at, insideM, 200, bearing);
        assert.ok(Math.abs(distanceM(fence.center!, at) - (200 - insideM)) < 1);
        assert.equal(shapeOf(fence).isInside(truthAt(parked, START).location), insideM > 0);
        assert.deepEqual(trueCrossings(parked, fence, START, START + 1000 * HOUR_MS), []);
      },
    ),
  );
});
