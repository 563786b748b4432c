import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { distanceM, EARTH_RADIUS_M, type Place, placeOf } from '../../platform/sphere.ts';
import { type Area, areaOf, signedDistanceM, signedDistanceOf } from './area.ts';
import {
  anyPlace,
  anyTurn,
  away,
  between,
  type Drawn,
  isInsideByRay,
  nearestByLookingM,
  ofMagnitude,
  shore,
  tangle,
} from './testing/globe.ts';

const DEGREE_M = (EARTH_RADIUS_M * Math.PI) / 180;

function polygon(outline: readonly Place[]): Area {
  const area = areaOf({ outline });
  assert.ok(area, 'has a shape');
  return area;
}

const places = (...pairs: [number, number][]): Place[] => pairs.map(([lat, lng]) => ({ lat, lng }));

function near(actual: number, expected: number, toleranceM: number) {
  assert.ok(Math.abs(actual - expected) <= toleranceM, `${actual} is not ${expected}`);
}

test('an area is the outline, else the circle, else nothing', () => {
  const outline = places([0, 0], [0, 1], [1, 1]);
  const center = { lat: 50, lng: 8 };
  assert.equal(areaOf({ outline, center, radius: 10 })?.kind, 'polygon');
  assert.equal(areaOf({ outline: null, center, radius: 10 })?.kind, 'circle');
  assert.equal(areaOf({ outline: [], center, radius: 0 })?.kind, 'circle');
  assert.equal(areaOf({}), undefined);
  assert.equal(areaOf({ center }), undefined);
  assert.equal(areaOf({ radius: 5 }), undefined);
  assert.equal(areaOf({ outline: places([0, 0], [0, 1], [0, 0]) }), undefined);
  assert.equal(areaOf({ outline: places([1, 180], [1, -180], [90, 0], [90, 50]) }), undefined);
});

test('a circle of any size', () => {
  fc.assert(
    fc.property(
      anyPlace,
      ofMagnitude(0.1, 180 * DEGREE_M),
      ofMagnitude(0.01, 180 * DEGREE_M - 1),
      between(0, 7),
      (center, radius, meters, bearing) => {
        const circle = areaOf({ center, radius })!;
        near(signedDistanceM(circle, away(center, meters, bearing)), meters - radius, 1e-4);
      },
    ),
  );
  const everywhere = areaOf({ center: { lat: 3, lng: 3 }, radius: 20_037_508 })!;
  assert.ok(signedDistanceM(everywhere, { lat: -3, lng: -177 }) < 0);
});

test('squares at home, across the antimeridian and around a pole', () => {
  const home = polygon(places([-1, -1], [-1, 1], [1, 1], [1, -1]));
  near(signedDistanceM(home, { lat: 0, lng: 0 }), -DEGREE_M, 20);
  near(signedDistanceM(home, { lat: 0, lng: 3 }), 2 * DEGREE_M, 1e-3);
  near(signedDistanceM(home, { lat: -1, lng: 1 }), 0, 1e-6);
  const pacific = polygon(places([-1, 179], [-1, -179], [1, -179], [1, 179]));
  near(signedDistanceM(pacific, { lat: 0, lng: 180 }), -DEGREE_M, 20);
  near(signedDistanceM(pacific, { lat: 0, lng: -180 }), -DEGREE_M, 20);
  near(signedDistanceM(pacific, { lat: 0, lng: -177 }), 2 * DEGREE_M, 1e-3);
  const arctic = polygon(places([80, 0], [80, 90], [80, 180], [80, -90]));
  assert.ok(signedDistanceM(arctic, { lat: 90, lng: 33 }) < -7 * DEGREE_M);
  assert.ok(signedDistanceM(arctic, { lat: 85, lng: 45 }) < 0);
  assert.ok(signedDistanceM(arctic, { lat: 81, lng: 45 }) > 0, 'edges are great circles');
  assert.ok(signedDistanceM(arctic, { lat: -90, lng: 0 }) > 169 * DEGREE_M);
});

test('inside is the smaller area, however large the line', () => {
  const ring = (lat: number) => Array.from({ length: 36 }, (_, i) => ({ lat: lat + (i % 2), lng: i * 10 - 175 }));
  // The first fits in a cap, the others span the globe.
  for (const lat of [-15, -8, -5]) {
    for (const outline of [ring(lat), ring(lat).reverse()]) {
      const south = polygon(outline);
      assert.ok(signedDistanceM(south, { lat: -90, lng: 0 }) < -70 * DEGREE_M);
      assert.ok(signedDistanceM(south, { lat: 90, lng: 0 }) > 90 * DEGREE_M);
      assert.ok(signedDistanceM(south, { lat: lat - 3, lng: 77 }) < 0);
      assert.ok(signedDistanceM(south, { lat: lat + 3, lng: 77 }) > 0);
    }
  }
  // A ring around the equator that returns at another latitude: the belt between, cut at the antimeridian.
  const belt = polygon([...ring(-10), ...ring(10).reverse()]);
  assert.ok(signedDistanceM(belt, { lat: 0, lng: 0 }) < 0);
  for (const lat of [-90, -30, 30, 90]) assert.ok(signedDistanceM(belt, { lat, lng: 11 }) > 0);
});

test('opposite corners in a row are joined by way of the pole', () => {
  for (const outline of [places([0, 0], [0, 180], [0, 90]), places([0, 90], [0, 180], [0, 0])]) {
    const quarter = polygon(outline);
    assert.ok(signedDistanceM(quarter, { lat: 45, lng: 90 }) < 0);
    assert.ok(signedDistanceM(quarter, { lat: 45, lng: -90 }) > 0);
    assert.ok(signedDistanceM(quarter, { lat: -45, lng: 90 }) > 0);
  }
});

/** A place about as far from the centre as the outline reaches. */
const probes = fc.tuple(between(0, 1.5), between(0, 2 * Math.PI));
const probe = (drawn: Drawn, [share, bearing]: [number, number]) => away(drawn.middle, share * drawn.reachM, bearing);
const sizes = ofMagnitude(2, 7_000_000);
const drawings = fc.oneof(tangle(sizes), shore(sizes), tangle(sizes, 200), shore(sizes, 100, 300));

test('the distance is that to the nearest point of an edge', () => {
  fc.assert(
    fc.property(drawings, probes, (drawn, at) => {
      const place = probe(drawn, at);
      const expected = nearestByLookingM(drawn.outline, place);
      near(Math.abs(signedDistanceM(polygon(drawn.outline), place)), expected, 1e-3 + 1e-9 * drawn.reachM);
    }),
    { numRuns: 150 },
  );
});

test('from anywhere on the globe too', () => {
  fc.assert(
    fc.property(shore(sizes), anyPlace, (drawn, place) => {
      near(Math.abs(signedDistanceM(polygon(drawn.outline), place)), nearestByLookingM(drawn.outline, place), 1);
    }),
    { numRuns: 100 },
  );
});

test('inside is what a ray says', () => {
  fc.assert(
    fc.property(drawings, fc.array(probes, { minLength: 10, maxLength: 10 }), (drawn, ats) => {
      const area = polygon(drawn.outline);
      for (const at of ats) {
        const place = probe(drawn, at);
        const distance = signedDistanceM(area, place);
        if (Math.abs(distance) < 1e-6) continue;
        assert.equal(distance < 0, isInsideByRay(drawn, place));
      }
    }),
    { numRuns: 500 },
  );
});

test('places in line with corners and edges are evaluated right', () => {
  // On a grid of meridians and the equator, all corners are collinear with others.
  const comb = places([0, 0], [0, 1], [1, 1], [1, 2], [0, 2], [0, 3], [1, 3], [1, 4], [0, 4], [0, 5], [2, 5], [2, 0]);
  for (const outline of [
    comb,
    comb.map(({ lat, lng }) => ({ lat: lat + 0.25, lng: lng + 179 - (lng > 1 ? 360 : 0) })),
  ]) {
    const drawn = { middle: outline[3]!, reachM: 1, outline };
    for (let lat = -1; lat <= 3; lat += 0.25) {
      for (let lng = -1; lng <= 6; lng += 0.25) {
        const place = { lat: outline[0]!.lat + lat, lng: ((outline[0]!.lng + lng + 180) % 360) - 180 };
        const distance = signedDistanceM(polygon(outline), place);
        if (Math.abs(distance) < 1e-6) continue;
        assert.equal(distance < 0, isInsideByRay(drawn, place), `${lat} ${lng}`);
      }
    }
  }
});

test('it does not matter where an outline begins, which way it runs, whether it is closed or repeats itself', () => {
  fc.assert(
    fc.property(drawings, probes, fc.nat(), (drawn, at, n) => {
      const { outline } = drawn;
      const place = probe(drawn, at);
      const expected = signedDistanceM(polygon(outline), place);
      const start = n % outline.length;
      const same = [
        [...outline, outline[0]!],
        [...outline].reverse(),
        [...outline.slice(start), ...outline.slice(0, start)],
        outline.flatMap((corner, i) => (i === start ? [corner, corner, corner] : [corner])),
      ];
      for (const other of same) near(signedDistanceM(polygon(other), place), expected, 1e-6);
    }),
  );
});

test('it does not matter where on the globe it lies', () => {
  fc.assert(
    fc.property(fc.oneof(drawings, tangle(fc.constant(18_000_000))), probes, anyTurn, (drawn, at, turn) => {
      const place = probe(drawn, at);
      const turned = polygon(drawn.outline.map(turn));
      const here = signedDistanceM(polygon(drawn.outline), place);
      const there = signedDistanceM(turned, turn(place));
      near(Math.abs(there), Math.abs(here), 1e-4);
      // An outline that spans the globe may divide it into nearly equal halves; which one is smaller is then undefined.
      if (drawn.reachM < 8_000_000) near(there, here, 1e-4);
    }),
    { numRuns: 500 },
  );
});

test('of a line that spans the globe the smaller side is inside', () => {
  const sample = Array.from({ length: 1000 }, (_, i) => {
    const z = 1 - (2 * i + 1) / 1000;
    return placeOf({ x: Math.sqrt(1 - z * z) * Math.cos(i * 2.4), y: Math.sqrt(1 - z * z) * Math.sin(i * 2.4), z });
  });
  fc.assert(
    fc.property(tangle(fc.constant(20_000_000), 30), (drawn) => {
      const area = polygon(drawn.outline);
      const inside = sample.filter((place) => signedDistanceM(area, place) < 0).length;
      assert.ok(inside < 530, `${inside} of 1000 places`);
    }),
    { numRuns: 50 },
  );
});

test('places around and opposite to the place with the known side are classified correctly', () => {
  const ring = polygon(Array.from({ length: 36 }, (_, i) => ({ lat: -5 + (i % 2), lng: i * 10 - 175 })));
  assert.ok(ring.kind === 'polygon' && ring.chord === 2);
  const { place } = ring.known;
  for (const sense of [1, -1]) {
    for (const nudge of [0, 1e-16, 1e-15, 1e-12, 1e-9, 1e-3]) {
      const there = { x: sense * place.x + nudge, y: sense * place.y - nudge, z: sense * place.z };
      assert.equal(signedDistanceOf(ring, there) < 0, there.z < 0, `${sense} ${nudge}`);
    }
  }
});

test('the sign turns at an edge and nowhere else', () => {
  fc.assert(
    fc.property(
      fc.oneof(drawings, tangle(fc.constant(20_000_000), 30)),
      probes,
      between(0, 7),
      (drawn, at, bearing) => {
        const area = polygon(drawn.outline);
        const place = probe(drawn, at);
        const distance = signedDistanceM(area, place);
        fc.pre(Math.abs(distance) > 1e-3);
        const beside = away(place, 0.999 * Math.abs(distance), bearing);
        assert.equal(Math.sign(signedDistanceM(area, beside)), Math.sign(distance));
      },
    ),
    { numRuns: 500 },
  );
});

test('beyond what matters the distance may be less, but never within it nor more', () => {
  fc.assert(
    fc.property(drawings, fc.tuple(between(0, 5), between(0, 7)), ofMagnitude(0.1, 1e6), (drawn, at, withinM) => {
      const area = polygon(drawn.outline);
      const place = probe(drawn, at);
      const exact = signedDistanceM(area, place);
      const quick = signedDistanceM(area, place, withinM);
      if (quick <= withinM) assert.equal(quick, exact);
      else assert.ok(quick <= exact + 1e-6);
    }),
  );
});

test('edges of a few centimetres are no less exact', () => {
  fc.assert(
    fc.property(shore(between(0.05, 0.3), 3, 10), probes, (drawn, at) => {
      const place = probe(drawn, at);
      near(Math.abs(signedDistanceM(polygon(drawn.outline), place)), nearestByLookingM(drawn.outline, place), 1e-6);
    }),
  );
});

test('the centre of a 2 000-gon is as far from the edge as drawn', () => {
  const center = { lat: 47.4, lng: 8.5 };
  const outline = Array.from({ length: 2000 }, (_, i) => away(center, 5000, (2 * Math.PI * i) / 2000));
  const area = polygon(outline);
  near(signedDistanceM(area, center), -5000, 0.01);
  near(signedDistanceM(area, away(center, 6000, 1)), 1000, 0.01);
  near(distanceM(center, outline[77]!), 5000, 1e-6);
});
