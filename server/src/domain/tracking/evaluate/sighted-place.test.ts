import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distanceM, type Place, placeOf, vectorOf } from '../../../platform/sphere.ts';
import { SIGHTING_MS, type Sighting, sightedPlace } from './sighted-place.ts';

const AT = Date.parse('2026-06-01T12:00:00Z');
const M = 1 / 111_195;

const sighting = (gatewayId: number, place: Place, more: Partial<Sighting> = {}): Sighting => ({
  gatewayId,
  at: AT,
  place,
  accuracyM: 3,
  rssi: -70,
  ...more,
});

/** Metres east and north of a place; near a pole as well. */
function offset({ lat, lng }: Place, east: number, north: number): Place {
  const [sinLat, cosLat] = [Math.sin((lat * Math.PI) / 180), Math.cos((lat * Math.PI) / 180)];
  const [sinLng, cosLng] = [Math.sin((lng * Math.PI) / 180), Math.cos((lng * Math.PI) / 180)];
  const [e, n] = [east / 6_371_008.8, north / 6_371_008.8];
  const { x, y, z } = vectorOf({ lat, lng });
  return placeOf({
    x: x - e * sinLng - n * sinLat * cosLng,
    y: y + e * cosLng - n * sinLat * sinLng,
    z: z + n * cosLat,
  });
}

const anywhere = fc.oneof(
  fc.record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lng: fc.double({ min: -180, max: 180, noNaN: true }),
  }),
  fc.constantFrom(
    { lat: 90, lng: 0 },
    { lat: -90, lng: 0 },
    { lat: 89.9999, lng: 77 },
    { lat: 10, lng: 180 },
    { lat: 0, lng: -179.9999 },
  ),
);

/** Gateways around a place, some at the same spot, and their sightings. */
const scene = fc
  .record({
    center: anywhere,
    around: fc.array(
      fc.record({
        east: fc.integer({ min: -120, max: 120 }),
        north: fc.integer({ min: -120, max: 120 }),
        rssi: fc.option(fc.integer({ min: -110, max: -20 }), { nil: null }),
        accuracyM: fc.integer({ min: 0, max: 100 }),
        ageMs: fc.integer({ min: 0, max: SIGHTING_MS - 1 }),
        measuredM: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined, freq: 5 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ center, around }) =>
    around.map(({ east, north, rssi, accuracyM, ageMs, measuredM }, index) =>
      sighting(Math.floor(index / 1.4), offset(center, east, north), {
        rssi,
        accuracyM,
        at: AT - ageMs,
        ...(measuredM !== undefined && { measuredM }),
      }),
    ),
  );

test('the order of sightings makes no difference', () => {
  fc.assert(
    fc.property(
      scene.chain((sightings) =>
        fc.tuple(fc.constant(sightings), fc.shuffledSubarray(sightings, { minLength: sightings.length })),
      ),
      ([sightings, shuffled]) => assert.deepEqual(sightedPlace(shuffled, AT), sightedPlace(sightings, AT)),
    ),
  );
});

test('a place lies among the gateways, at poles and the antimeridian too', () => {
  fc.assert(
    fc.property(scene, (sightings) => {
      const { place } = sightedPlace(sightings, AT)!;
      assert.ok(Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180);
      // A half plane that holds all gateways holds what lies among them.
      const seen = sightings.map((one) => eastAndNorth(place, one.place));
      for (let turn = 0; turn < 36; turn++) {
        const [x, y] = [Math.cos((turn * Math.PI) / 18), Math.sin((turn * Math.PI) / 18)];
        const farthest = Math.max(...seen.map(([east, north]) => x * east + y * north));
        assert.ok(farthest >= -0.001, `${farthest} m beyond all gateways`);
      }
    }),
  );
});

/** Metres as seen from a place. */
function eastAndNorth(from: Place, to: Place): [number, number] {
  const a = vectorOf(from);
  const b = vectorOf(to);
  const d = { x: b.x - a.x, y: b.y - a.y, z: b.z - a.z };
  const lng = (from.lng * Math.PI) / 180;
  const lat = (from.lat * Math.PI) / 180;
  const east = -Math.sin(lng) * d.x + Math.cos(lng) * d.y;
  const north = -Math.sin(lat) * (Math.cos(lng) * d.x + Math.sin(lng) * d.y) + Math.cos(lat) * d.z;
  return [east * 6_371_008.8, north * 6_371_008.8];
}

test('the accuracy is no better than the spread of the gateways, nor than the range of the nearest one', () => {
  fc.assert(
    fc.property(scene, (sightings) => {
      const { place, accuracyM, gateways } = sightedPlace(sightings, AT)!;
      const placeOfGateway = ({ gatewayId, at, distanceM: far }: (typeof gateways)[number]) =>
        sightings.filter((one) => one.gatewayId === gatewayId && one.at === at).map((one) => ({ ...one, far }));
      const spread = gateways.reduce(
        (sum, one) => sum + one.weight * Math.min(...placeOfGateway(one).map((of) => distanceM(place, of.place))) ** 2,
        0,
      );
      assert.ok(accuracyM >= Math.sqrt(spread) - 1e-6, `${accuracyM} < ${Math.sqrt(spread)}`);
      assert.ok(accuracyM >= Math.min(...gateways.map((one) => one.distanceM)) - 1e-6);
      assert.ok(accuracyM >= 3);
      assert.ok(Math.abs(gateways.reduce((sum, { weight }) => sum + weight, 0) - 1) < 1e-9);
    }),
  );
});

test('a stronger signal, and a gateway that knows better where it is, pull more', () => {
  fc.assert(
    fc.property(
      anywhere,
      fc.integer({ min: -95, max: -65 }),
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 3, max: 50 }),
      (center, rssi, more, accuracyM) => {
        const [west, east] = [offset(center, -40, 0), offset(center, 40, 0)];
        const stronger = sightedPlace([sighting(1, west, { rssi }), sighting(2, east, { rssi: rssi + more })], AT)!;
        assert.ok(distanceM(stronger.place, east) < distanceM(stronger.place, west));
        assert.equal(stronger.gateways[0]!.gatewayId, 2);
        const surer = sightedPlace(
          [sighting(1, west, { accuracyM: accuracyM + 10 }), sighting(2, east, { accuracyM })],
          AT,
        )!;
        assert.ok(distanceM(surer.place, east) < distanceM(surer.place, west));
      },
    ),
  );
});

const HOME = { lat: 50, lng: 8 };

test('one gateway alone: the tag is there, within the accuracy of its signal', () => {
  const { place, accuracyM, gateways } = sightedPlace([sighting(1, HOME, { rssi: -79 })], AT)!;
  assert.ok(distanceM(place, HOME) < 0.001);
  assert.ok(accuracyM > 10 && accuracyM < 11, String(accuracyM));
  assert.deepEqual([gateways.length, gateways[0]!.weight, gateways[0]!.rssi], [1, 1, -79]);
});

test('only the last minute counts, and of each gateway the newest sighting', () => {
  const far = { lat: 50 + 100 * M, lng: 8 };
  assert.equal(sightedPlace([sighting(1, HOME, { at: AT - SIGHTING_MS })], AT), undefined);
  assert.equal(sightedPlace([sighting(1, HOME, { at: AT + 1 })], AT), undefined);
  assert.equal(sightedPlace([], AT), undefined);
  const { gateways, place } = sightedPlace([sighting(1, far, { at: AT - 9000, rssi: -40 }), sighting(1, HOME)], AT)!;
  assert.equal(gateways.length, 1);
  assert.ok(distanceM(place, HOME) < 0.001);
});

test('a tag that is driven past gateways is at its last sighting', () => {
  const before = { lat: 50, lng: 8 };
  const now = { lat: 50 + 900 * M, lng: 8 };
  const { gateways, place } = sightedPlace(
    [sighting(1, before, { at: AT - 40_000, rssi: -40 }), sighting(2, now)],
    AT,
  )!;
  assert.deepEqual(
    gateways.map(({ gatewayId }) => gatewayId),
    [2],
  );
  assert.ok(distanceM(place, now) < 0.001);
  const both = sightedPlace([sighting(1, before, { at: AT - 1000 }), sighting(2, now)], AT)!;
  assert.equal(both.gateways.length, 2, 'received by both at once');
  assert.ok(both.accuracyM > 400, 'and so it may be anywhere between');
});

test('a measured distance, and the power that a tag sends, are more accurate than a signal', () => {
  const measured = sightedPlace([sighting(1, HOME, { measuredM: 2, rssi: -95, accuracyM: 1 })], AT)!;
  assert.equal(measured.gateways[0]!.distanceM, 2);
  const loud = sightedPlace([sighting(1, HOME, { rssi: -79, powerDbm: -69 })], AT)!;
  assert.ok(Math.abs(loud.gateways[0]!.distanceM - Math.sqrt(10)) < 1e-9);
});

test('opposite gateways do not cancel each other out', () => {
  const { place } = sightedPlace([sighting(1, { lat: 0, lng: 0 }), sighting(2, { lat: 0, lng: 180 })], AT)!;
  assert.ok(Number.isFinite(place.lat) && Number.isFinite(place.lng));
});
