import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PMTiles, zxyToTileId } from 'pmtiles';
import { createCity } from '../city.ts';
import { cityMap } from './city-map.ts';
import { clipArea, clipLine } from './clip.ts';
import { tileId } from './pmtiles.ts';
import { nameStreets } from './street-names.ts';

const city = createCity({ seed: 7 });

test('a map file of the city is one that others can read', async () => {
  const file = cityMap(city);
  const archive = new PMTiles({
    getKey: () => 'city',
    getBytes: async (offset, length) => ({ data: new Uint8Array(file.subarray(offset, offset + length)).buffer }),
  });
  const { minZoom, maxZoom, minLon, maxLat, tileType } = await archive.getHeader();
  assert.deepEqual([minZoom, maxZoom, tileType], [8, 14, 1]);
  assert.ok(minLon < city.ground.center.lng && maxLat > city.ground.center.lat);
  const { lat, lng } = city.ground.center;
  const x = Math.floor((lng / 360 + 0.5) * 2 ** 14);
  const sine = Math.sin((lat * Math.PI) / 180);
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** 14);
  const tile = await archive.getZxy(14, x, y);
  const text = Buffer.from(tile!.data).toString('latin1');
  for (const word of ['roads', 'buildings', 'places', 'minor_road', 'Street']) assert.ok(text.includes(word), word);
  assert.equal(((await archive.getMetadata()) as { attribution: string }).attribution, 'A fictional city');
});

test('tiles are numbered along the Hilbert curve', () => {
  for (const [z, x, y] of [
    [0, 0, 0],
    [1, 1, 0],
    [5, 17, 30],
    [14, 8192, 5461],
  ] as const)
    assert.equal(tileId(z, x, y), zxyToTileId(z, x, y));
});

test('every piece of street has one name, and goes on under it where it goes straight on', () => {
  const named = nameStreets(city.network, 7);
  const pieces = named.reduce((sum, { line }) => sum + line.length - 1, 0);
  assert.equal(pieces, city.network.streets.length);
  assert.ok(named.length < pieces / 2, `${named.length} names for ${pieces} pieces`);
  assert.ok(named.every(({ name }) => /^[A-Z]/.test(name)));
});

test('shapes are cut at the edges', () => {
  assert.deepEqual(
    clipLine(
      [
        [-5, 5],
        [15, 5],
      ],
      0,
      10,
    ),
    [
      [
        [0, 5],
        [10, 5],
      ],
    ],
  );
  const square = clipArea(
    [
      [-5, -5],
      [5, -5],
      [5, 5],
      [-5, 5],
    ],
    0,
    10,
  );
  assert.equal(square.length, 4);
  assert.ok(square.every(([x, y]) => x >= 0 && y >= 0 && x <= 5 && y <= 5));
});
