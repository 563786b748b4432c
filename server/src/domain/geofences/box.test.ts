import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { areaOf, boxOf, isInBox, signedDistanceM } from './area.ts';
import { anyPlace, away, between, ofMagnitude, shore } from './testing/globe.ts';

const sizes = ofMagnitude(1, 20_000_000);
const areas = fc
  .oneof(
    fc.tuple(anyPlace, sizes).map(([center, radius]) => ({ center, radius, middle: center, reachM: radius })),
    shore(sizes, 3, 8),
  )
  .map((shape) => ({ area: areaOf(shape)!, middle: shape.middle, reachM: shape.reachM }));

test('every place inside an area is in its box, at the poles and the antimeridian too', () => {
  let inside = 0;
  fc.assert(
    fc.property(areas, between(0, 1.2), between(0, 7), anyPlace, ({ area, middle, reachM }, share, bearing, other) => {
      const box = boxOf(area);
      for (const place of [away(middle, share * reachM, bearing), away(middle, reachM, bearing), other]) {
        if (signedDistanceM(area, place) > 0) continue;
        inside++;
        assert.ok(isInBox(box, place), JSON.stringify({ box, place }));
      }
    }),
    { numRuns: 2000, seed: 3 },
  );
  assert.ok(inside > 1000);
});

test('a small area has a small box', () => {
  const box = boxOf(areaOf({ center: { lat: 48, lng: 179.999 }, radius: 500 })!);
  assert.ok(isInBox(box, { lat: 48, lng: -179.998 }));
  assert.ok(!isInBox(box, { lat: 48, lng: -179.99 }));
  assert.ok(!isInBox(box, { lat: 48.01, lng: 179.999 }));
});
