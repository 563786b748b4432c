import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCity } from './city.ts';
import { geoJsonOf } from './geojson.ts';
import { placeOf, spotOf } from './ground.ts';
import { streetsAt } from './streets.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 31 });

test('the same seed gives the same city, another seed another city', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const city = createCity({ seed });
      assert.deepEqual(createCity({ seed }).network, city.network);
      assert.notDeepEqual(createCity({ seed: seed + 1 }).network.nodes, city.network.nodes);
    }),
    { numRuns: 20 },
  );
});

test('every city has a ring, bridges and tunnels, and every node can be reached', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 12, max: 40 }), (seed, blocks) => {
      const { network, addresses, depots } = createCity({ seed, blocks });
      const { nodes, streets } = network;
      const at = streetsAt(network);
      const reached = new Set([0]);
      for (const node of reached) {
        for (const street of at[node]!) reached.add(streets[street]!.a).add(streets[street]!.b);
      }
      assert.equal(reached.size, nodes.length);
      const bridges = streets.filter(({ isBridge }) => isBridge).length;
      assert.ok(bridges >= 2 && bridges <= 14, `${bridges} bridges`);
      assert.ok(streets.some(({ isTunnel, kind }) => isTunnel && kind === 'ring'));
      assert.ok(streets.every(({ lengthM }) => lengthM > 5));
      assert.equal(depots, 6);
      assert.equal(new Set(addresses.map(({ node }) => node)).size, addresses.length);
    }),
    { numRuns: 60 },
  );
});

test('only bridges and tunnels cross the river', () => {
  const { network } = createCity({ seed: 3 });
  const northAt = (x: number) => {
    const i = network.river.findIndex((spot) => spot.x > x);
    const [a, b] = [network.river[i - 1]!, network.river[i]!];
    return a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x);
  };
  const isNorth = (node: number) => network.nodes[node]!.y > northAt(network.nodes[node]!.x);
  const across = network.streets.filter(({ a, b }) => isNorth(a) !== isNorth(b));
  assert.ok(across.length > 0);
  assert.deepEqual(
    across.filter(({ isBridge, isTunnel }) => !isBridge && !isTunnel),
    [],
  );
});

test('the GeoJSON has all streets, and no line jumps at the antimeridian', () => {
  const city = createCity({ center: { lat: -17, lng: 179.999 } });
  const { features } = geoJsonOf(city);
  assert.equal(features.filter(({ properties }) => 'limitKmh' in properties).length, city.network.streets.length);
  for (const { geometry } of features) {
    if (geometry.type !== 'LineString') continue;
    const lngs = geometry.coordinates.map(([lng]) => lng!);
    assert.ok(Math.max(...lngs) - Math.min(...lngs) < 1);
  }
});

test('locations and spots convert into each other, also across the antimeridian', () => {
  for (const lng of [-8, 179.99, -180, 180]) {
    const { ground } = createCity({ center: { lat: 38, lng } });
    fc.assert(
      fc.property(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: -5000, max: 5000 }), (x, y) => {
        const place = placeOf(ground, { x, y });
        assert.ok(place.lng >= -180 && place.lng < 180);
        const back = spotOf(ground, place);
        assert.ok(Math.hypot(back.x - x, back.y - y) < 1e-5);
      }),
      { numRuns: 50 },
    );
  }
});
