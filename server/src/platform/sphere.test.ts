import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { anyPlace, anyTurn, away, between, ofMagnitude } from '../domain/geofences/testing/globe.ts';
import { distanceM, EARTH_RADIUS_M, interpolate, meanPlace, placeOf, stepsM, vectorOf } from './sphere.ts';

const HALF_GLOBE_M = Math.PI * EARTH_RADIUS_M;

function near(actual: number, expected: number, toleranceM: number, what = '') {
  assert.ok(Math.abs(actual - expected) <= toleranceM, `${what} ${actual} is not ${expected}`);
}

test('distances that are known', () => {
  near(distanceM({ lat: 0, lng: 0 }, { lat: 0, lng: 180 }), HALF_GLOBE_M, 1e-6);
  near(distanceM({ lat: 90, lng: 12 }, { lat: 0, lng: -70 }), HALF_GLOBE_M / 2, 1e-6);
  near(distanceM({ lat: 0, lng: 179.9995 }, { lat: 0, lng: -179.9995 }), HALF_GLOBE_M / 180_000, 1e-6);
  near(distanceM({ lat: 50.0359, lng: -5.4253 }, { lat: 58.3838, lng: -3.0412 }), 940_945, 100);
  assert.equal(distanceM({ lat: 47.1, lng: 8.5 }, { lat: 47.1, lng: 8.5 }), 0);
});

test('a place so far away is so far away, from a millimetre to the other side', () => {
  fc.assert(
    fc.property(anyPlace, ofMagnitude(1e-3, HALF_GLOBE_M - 1), between(0, 7), (place, meters, bearing) => {
      near(distanceM(place, away(place, meters, bearing)), meters, 1e-6);
    }),
  );
});

test('between two places the way is split as asked', () => {
  fc.assert(
    fc.property(anyPlace, ofMagnitude(1, HALF_GLOBE_M - 10), between(0, 7), between(0, 1), (a, meters, bearing, f) => {
      const b = away(a, meters, bearing);
      const middle = interpolate(a, b, f);
      near(distanceM(a, middle), f * meters, 1e-4);
      near(distanceM(middle, b), (1 - f) * meters, 1e-4);
    }),
  );
  const place = { lat: 3, lng: 4 };
  near(distanceM(interpolate(place, place, 0.5), place), 0, 1e-6);
  assert.ok(Number.isFinite(interpolate({ lat: 0, lng: 0 }, { lat: 0, lng: 180 }, 0.5).lat), 'opposite places');
});

test('a mean across the antimeridian and at a pole', () => {
  const of = (...places: [number, number, number][]) =>
    meanPlace(places.map(([lat, lng, weight]) => ({ place: { lat, lng }, weight })))!;
  near(distanceM(of([10, 179, 1], [10, -179, 1]), { lat: 10.0015, lng: 180 }), 0, 20);
  near(distanceM(of([89, 0, 1], [89, 90, 1], [89, 180, 1], [89, -90, 1]), { lat: 90, lng: 0 }), 0, 1e-3);
  near(distanceM(of([0, 0, 3], [0, 0.001, 1]), { lat: 0, lng: 0.00025 }), 0, 1e-4);
  assert.deepEqual(of([0, 0, 1], [0, 180, 1]), { lat: 0, lng: 0 });
  assert.equal(meanPlace([]), undefined);
});

test('the mean turns with the globe, and stands where two places balance', () => {
  fc.assert(
    fc.property(
      anyPlace,
      ofMagnitude(0.1, 1e6),
      between(0, 7),
      between(0.1, 1),
      anyTurn,
      (a, meters, bearing, w, turn) => {
        const b = away(a, meters, bearing);
        const weighted = (x: typeof a, y: typeof a) =>
          meanPlace([
            { place: x, weight: w },
            { place: y, weight: w },
          ])!;
        near(distanceM(weighted(a, b), interpolate(a, b, 0.5)), 0, 1e-4);
        near(distanceM(turn(weighted(a, b)), weighted(turn(a), turn(b))), 0, 1e-4);
      },
    ),
  );
});

test('a place survives being a vector', () => {
  fc.assert(fc.property(anyPlace, (place) => near(distanceM(placeOf(vectorOf(place)), place), 0, 1e-6)));
});

test('the steps of a way are the distances between its places', () => {
  fc.assert(
    fc.property(fc.array(anyPlace, { maxLength: 10 }), (places) => {
      const [lat, lng] = [places.map((place) => place.lat), places.map((place) => place.lng)].map((list) =>
        Float64Array.from(list),
      );
      const expected = places.map((place, index) => (index === 0 ? 0 : distanceM(places[index - 1]!, place)));
      assert.deepEqual([...stepsM(lat!, lng!, places.length)], expected);
    }),
  );
});
