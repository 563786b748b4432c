import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Place } from '../../../platform/sphere.ts';
import { type Area, areaOf, signedDistanceM } from '../shape/area.ts';
import { anyPlace, away, between, ofMagnitude, shore, tangle } from '../shape/testing/globe.ts';
import { FenceIndex } from './fence-index.ts';

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
  index.near(place, radiusM, (id) => found.push(id));
  assert.equal(new Set(found).size, found.length, 'each is met once');
  return found;
}

/** Brute force: the fences that contain the place or have an edge within the radius. */
function byLooking(areas: Map<number, Area>, place: Place, radiusM: number): number[] {
  return [...areas].filter(([, area]) => signedDistanceM(area, place) <= radiusM).map(([id]) => id);
}

test('it finds what looking at every fence finds, through additions and removals', () => {
  const change = fc.record({ id: fc.nat(150), area: fc.option(fences, { nil: undefined, freq: 5 }) });
  const question = fc.tuple(anyPlace, ofMagnitude(1, 20_000_000));
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 300, size: 'max' }),
      fc.array(question, { minLength: 5, maxLength: 5 }),
      (changes, questions) => {
        const index = new FenceIndex();
        const areas = new Map<number, Area>();
        for (const { id, area } of changes) {
          if (area === undefined) {
            assert.equal(index.remove(id), areas.delete(id));
          } else {
            index.add(id, area);
            areas.set(id, area);
          }
        }
        assert.equal(index.size, areas.size);
        for (const [place, radiusM] of questions) {
          const found = new Set(met(index, place, radiusM));
          for (const id of byLooking(areas, place, radiusM)) assert.ok(found.has(id), `misses ${id}`);
          for (const id of found) assert.ok(areas.has(id), `invents ${id}`);
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
        const index = new FenceIndex();
        const areas = new Map<number, Area>();
        for (const [id, [meters, bearing, radius]] of drawn.entries()) {
          const area = areaOf({ center: away(middle, meters, bearing), radius })!;
          index.add(id, area);
          areas.set(id, area);
        }
        const place = away(middle, ...at);
        assert.deepEqual(met(index, place, radiusM).sort(), byLooking(areas, place, radiusM).sort());
        for (const id of areas.keys()) index.remove(id);
        assert.equal(index.size, 0);
        assert.deepEqual(met(index, place, 20_037_508), []);
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
});

test('thousands of fences on one spot, and none of any size, do no harm', () => {
  const index = new FenceIndex<string>();
  const center = { lat: 90, lng: 0 };
  for (let i = 0; i < 2000; i++) index.add(`f${i}`, areaOf({ center, radius: 0 })!);
  let count = 0;
  index.near(center, 0, () => count++);
  assert.equal(count, 2000);
  for (let i = 0; i < 2000; i++) assert.ok(index.remove(`f${i}`));
  assert.equal(index.remove('f0'), false);
});

test('a continent is met from all over it', () => {
  fc.assert(
    fc.property(anyPlace, between(0, 1), between(0, 7), (center, share, bearing) => {
      const index = new FenceIndex();
      index.add(1, areaOf({ center, radius: 9_000_000 })!);
      assert.deepEqual(met(index, away(center, share * 8_999_999, bearing), 0), [1]);
    }),
  );
});
