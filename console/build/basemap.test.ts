import assert from 'node:assert/strict';
import test from 'node:test';
import type { MultiLineString, MultiPolygon, Position } from 'geojson';
import { feature } from 'topojson-client';
import { landOf, readWorld } from './basemap.ts';
import { countryLabels } from './country-labels.ts';

/** The bundled map, as the console draws it: flat, from -180° to 180°. */

const world = await readWorld();
const land = landOf(world);
const countries = (
  feature(land as never, land.objects.countries as never) as unknown as {
    features: { geometry: MultiPolygon }[];
  }
).features.flatMap(({ geometry }) => geometry.coordinates);
const lines = (name: 'coast' | 'borders') =>
  (feature(land as never, land.objects[name] as never) as unknown as { geometry: MultiLineString }).geometry
    .coordinates;

const LAND: Record<string, [lng: number, lat: number]> = {
  Berlin: [13.4, 52.52],
  Nairobi: [36.82, -1.29],
  'Washington, D.C.': [-77.04, 38.9],
  Moscow: [37.62, 55.75],
  'Siberia, north of the latitude of Iceland': [100, 66],
  'Chukotka, west of 180°': [178, 67],
  'Chukotka, east of 180°': [-175, 66.7],
  'Wrangel Island, west of 180°': [179.5, 71.2],
  'Wrangel Island, east of 180°': [-179, 71.2],
  'Viti Levu, Fiji': [178, -17.8],
  'Taveuni, Fiji': [-179.98, -16.8],
  'the South Pole, nearly': [0, -89],
  'Antarctica at 180°': [179.9, -88],
  'Antarctica at -180°': [-179.9, -88],
  'Dronning Maud Land': [10, -75],
};

const WATER: Record<string, [lng: number, lat: number]> = {
  'the middle of the Atlantic': [-40, 30],
  'the North Atlantic': [-30, 50],
  'the Atlantic, at the latitude of Chukotka': [-25, 67.5],
  'the Norwegian Sea': [0, 67],
  'the Arctic Ocean': [0, 85],
  'Hudson Bay': [-85, 60],
  'the Caspian Sea': [50.5, 42],
  'the Pacific at 180°': [179.9, 30],
  'the Pacific at -180°': [-179.9, 30],
  'the Pacific, beside Fiji': [-170, -17],
  'the Indian Ocean, at the latitude of Fiji': [80, -16.5],
  'the Southern Ocean': [-120, -60],
};

for (const [name, place] of Object.entries(LAND)) {
  test(`${name} is land`, () => assert.equal(isLand(place), true));
}
for (const [name, place] of Object.entries(WATER)) {
  test(`${name} is water`, () => assert.equal(isLand(place), false));
}

test('no line and no ring runs across the world', () => {
  const rings = countries.flat();
  const jumps = [...rings, ...lines('coast'), ...lines('borders')].flatMap((line) =>
    line.slice(1).flatMap((to, index) => {
      const from = line[index]!;
      // Along the bottom of the map a ring may run as far as it likes: nobody can see it.
      return Math.abs(to[0]! - from[0]!) > 60 && to[1]! > -89 ? [[from, to]] : [];
    }),
  );
  assert.deepEqual(jumps, []);
  for (const ring of rings) assert.deepEqual(ring[0], ring.at(-1), 'a ring is closed');
});

test('a cut is drawn neither as a coast nor as a border', () => {
  const along = [...lines('coast'), ...lines('borders')].flatMap((line) =>
    line.slice(1).filter(([lng], index) => Math.abs(lng!) === 180 && line[index]![0] === lng),
  );
  assert.deepEqual(along, []);
});

test('borders and coasts are both there', () => {
  const passes = (name: 'coast' | 'borders', [lng, lat]: [number, number]) =>
    lines(name)
      .flat()
      .some(([x, y]) => Math.hypot(x! - lng, y! - lat) < 0.3);
  assert.ok(passes('borders', [14.6, 52.5]), 'the Oder');
  assert.ok(passes('borders', [30.2, 69.6]), 'between Norway and Russia');
  assert.ok(passes('coast', [-9.5, 38.7]), 'Cabo da Roca');
  assert.ok(!passes('coast', [14.6, 52.5]));
});

test('the name of a country that is cut stands in its largest part', () => {
  const at = (name: string) =>
    countryLabels(world)
      .find(([label]) => label === name)!
      .slice(1, 3) as [number, number];
  const [lng, lat] = at('Russia');
  assert.ok(lng > 80 && lng < 110 && lat > 55 && lat < 70, `Russia at ${lng}, ${lat}`);
  assert.ok(Math.abs(at('Fiji')[0]) > 175);
});

/** By the even-odd rule, over all rings, as the map fills them. */
function isLand([lng, lat]: [number, number]): boolean {
  return countries.some((rings) => rings.filter((ring) => isWithin(ring, lng, lat)).length % 2 === 1);
}

function isWithin(ring: Position[], x: number, y: number): boolean {
  let isIn = false;
  for (const [index, [bx, by]] of ring.entries()) {
    const [ax, ay] = ring.at(index - 1)! as [number, number];
    if (ay > y !== by! > y && x < ax + ((y - ay) / (by! - ay)) * (bx! - ax)) isIn = !isIn;
  }
  return isIn;
}
