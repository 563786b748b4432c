import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Place } from '../../platform/sphere.ts';
import { type Area, areaOf, signedDistanceM } from './area.ts';
import { capsOf, FenceIndex } from './fence-index.ts';
import { anyPlace, away, between, ofMagnitude, shore, tangle } from './testing/globe.ts';

const sizes = ofMagnitude(1, 20_000_000);
const fences: fc.Arbitrary<Area> = fc
  .oneof(
    fc.tuple(anyPlace, sizes).map(([center, radius]) => ({ center, radius })),
    shore(sizes, 3, 8),
    tangle(ofMagnitude(1, 5_000_000), 6),
  )
  .map((shape) => areaOf(shape)!);

function met(index: FenceIndex, place: Place, radiusM: number): number[] {
  const found: number[] = [];
  index.near(place, radiusM, (number) => found.push(number));
  assert.equal(new Set(found).size, found.length, 'each is met once');
  return found;
}

/** Brute force: the fences that contain the place or have an edge within the radius. */
function byLooking(areas: readonly Area[], place: Place, radiusM: number): number[] {
  return [...areas.keys()].filter((number) => signedDistanceM(areas[number]!, place) <= radiusM);
}

test('it finds what looking at every fence finds', () => {
  const question = fc.tuple(anyPlace, ofMagnitude(1, 20_000_000));
  fc.assert(
    fc.property(
      fc.array(fences, { maxLength: 200, size: 'max' }),
      fc.array(question, { minLength: 5, maxLength: 5 }),
      (areas, questions) => {
        const index = new FenceIndex(capsOf(areas));
        assert.equal(index.size, areas.length);
        for (const [place, radiusM] of questions) {
          const found = new Set(met(index, place, radiusM));
          for (const number of byLooking(areas, place, radiusM)) assert.ok(found.has(number), `misses ${number}`);
          for (const number of found) assert.ok(number < areas.length, `invents ${number}`);
        }
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
});

test('in a crowd of small fences it meets those near and no others', () => {
  const town = fc.tuple(
    anyPlace,
    fc.array(fc.tuple(between(0, 20_000), between(0, 7), between(1, 200)), {
      minLength: 200,
      maxLength: 400,
      size: 'max',
    }),
  );
  fc.assert(
    fc.property(
      town,
      fc.tuple(between(0, 20_000), between(0, 7)),
      ofMagnitude(1, 5000),
      ([middle, drawn], at, radiusM) => {
        const areas = drawn.map(
          ([meters, bearing, radius]) => areaOf({ center: away(middle, meters, bearing), radius })!,
        );
        const index = new FenceIndex(capsOf(areas));
        const place = away(middle, ...at);
        assert.deepEqual(
          met(index, place, radiusM).sort((a, b) => a - b),
          byLooking(areas, place, radiusM),
        );
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
});

test('thousands of fences on one spot, and none at all, do no harm', () => {
  const center = { lat: 90, lng: 0 };
  const spot = Array.from({ length: 2000 }, () => areaOf({ center, radius: 0 })!);
  assert.equal(met(new FenceIndex(capsOf(spot)), center, 0).length, 2000);
  assert.deepEqual(met(new FenceIndex(capsOf([])), center, 20_037_508), []);
});

test('a continent is met from all over it', () => {
  fc.assert(
    fc.property(anyPlace, between(0, 1), between(0, 7), (center, share, bearing) => {
      const index = new FenceIndex(capsOf([areaOf({ center, radius: 9_000_000 })!]));
      assert.deepEqual(met(index, away(center, share * 8_999_999, bearing), 0), [0]);
    }),
  );
});
