import '../../texts/english.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geoJsonOf, readGeoJson } from './geojson.ts';

const square = [
  [4, 52],
  [4.1, 52],
  [4.1, 52.1],
  [4, 52.1],
  [4, 52],
];
const feature = (geometry: object | null, properties: object = {}) => ({ type: 'Feature', geometry, properties });
const read = (...features: object[]) => readGeoJson(JSON.stringify({ type: 'FeatureCollection', features }));

test('polygons and circles are taken with name, group, colour and tuning', () => {
  const { fences, skipped } = read(
    feature(
      { type: 'Polygon', coordinates: [square] },
      { name: 'Yard', type: 'home', color: '#12704f', enterAfter: 60, more: 'left out' },
    ),
    feature({ type: 'Point', coordinates: [5, 53, 12] }, { name: 'Gate', radius: '150' }),
  );
  assert.deepEqual(skipped, []);
  assert.deepEqual(fences[0], {
    name: 'Yard',
    type: 'home',
    foreignId: null,
    meta: { color: '#12704f', enterAfter: 60 },
    shape: {
      kind: 'polygon',
      outline: [
        { lat: 52, lng: 4 },
        { lat: 52, lng: 4.1 },
        { lat: 52.1, lng: 4.1 },
        { lat: 52.1, lng: 4 },
      ],
    },
  });
  assert.deepEqual(fences[1]!.shape, { kind: 'circle', center: { lat: 53, lng: 5 }, radius: 150 });
});

test('what cannot be a geofence is left out, each with its reason', () => {
  const { fences, skipped } = read(
    feature({ type: 'Point', coordinates: [5, 53] }, { name: 'Bare' }),
    feature({ type: 'LineString', coordinates: square }),
    feature(null, { name: 'Nowhere' }),
    feature({ type: 'Polygon', coordinates: [[[4, 152], ...square]] }),
    feature({ type: 'Polygon', coordinates: [[square[0], square[1], square[0]]] }),
    feature({ type: 'Point', coordinates: [5, 53] }, { radius: -1 }),
    feature({ type: 'Polygon', coordinates: [Array.from({ length: 2001 }, (_, at) => [at / 100, 1 + (at % 2)])] }),
  );
  assert.equal(fences.length, 0);
  assert.deepEqual(
    skipped.map(({ what }) => what),
    ['Bare', 'Item 2', 'Nowhere', 'Item 4', 'Item 5', 'Item 6', 'Item 7'],
  );
  for (const [at, reason] of [
    /without a radius/,
    /LineString/,
    /no geometry/,
    /longitude/,
    /three/,
    /radius/,
    /2,001 corners/,
  ].entries())
    assert.match(skipped[at]!.why, reason);
});

test('the parts of a multipolygon become fences of their own; holes are remarked on', () => {
  const { fences, remarks } = read(
    feature({ type: 'MultiPolygon', coordinates: [[square], [square, square]] }, { name: 'Isles' }),
  );
  assert.deepEqual(
    fences.map(({ name }) => name),
    ['Isles (1)', 'Isles (2)'],
  );
  assert.equal(remarks.length, 1);
});

test('a text that is no GeoJSON says so', () => {
  assert.throws(() => readGeoJson('{'), /not valid JSON/);
  assert.throws(() => readGeoJson('{"a":1}'), /not GeoJSON/);
  assert.throws(() => readGeoJson('[]'), /not GeoJSON/);
});

test('what is exported can be imported again', () => {
  const { fences } = read(
    feature({ type: 'Polygon', coordinates: [square] }, { name: 'Yard', type: 'home', color: '#12704f' }),
    feature({ type: 'Point', coordinates: [5, 53] }, { name: 'Gate', radius: 150, exitConfidence: 0.2 }),
  );
  const written = geoJsonOf(fences.map(({ shape, ...fence }, id) => ({ fence: { id, ...fence }, shape })));
  assert.deepEqual(readGeoJson(JSON.stringify(written)).fences, fences);
});
