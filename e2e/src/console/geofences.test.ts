import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { makePerson } from '../harness/people.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { assertFits, inBrowser } from './harness.ts';
import { assertCount, until } from './until.ts';

const DEPOT = { name: 'Depot', type: 'home', center: { lat: 52, lng: 5 }, radius: 200, meta: { color: '#1f9d6b' } };
const METRES_PER_DEGREE = 111_195;

inBrowser('Geofences in the console', (bed) => {
  const newOwner = async (): Promise<Voice> => voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'draws'));
  const fencesOf = async (owner: Voice) => (await owner.get('/users/me/geofences')).body;

  test('a circle is drawn with the mouse, then resized by typing', async () => {
    const owner = await newOwner();
    await owner.make('/users/me/geofences', DEPOT);
    await bed.visit('/geofences', { as: owner }, async (page) => {
      await page.getByRole('link', { name: 'Depot' }).waitFor();
      await page.getByRole('link', { name: 'Add geofence' }).click();
      const at = await readyMap(page);
      await press(page, at(0.5, 0.5));
      await page.mouse.move(...at(0.6, 0.5), { steps: 5 });
      await press(page, at(0.6, 0.5));
      await page.getByText('Drag the circle to move it').waitFor();
      const drawn = Number(await page.getByLabel('Radius').inputValue());
      assert.ok(drawn > 10, `it was drawn with a radius of ${drawn} m`);
      await page.getByLabel('Radius').fill('350');
      await page.getByLabel('Name').fill('Harbour');
      await page.getByLabel('Category').fill('home');
      await page.getByRole('button', { name: 'Add geofence' }).click();
      await page.getByRole('heading', { name: 'Harbour', level: 1 }).waitFor();
      await page.getByText('“Harbour” was added').waitFor();
    });
    const made = (await fencesOf(owner)).find(({ name }: { name: string }) => name === 'Harbour');
    assert.equal(made.radius, 350);
    assert.equal(made.type, 'home');
    assert.equal(made.meta.color, DEPOT.meta.color, 'the colour of its group was proposed');
  });

  test('a polygon is drawn corner by corner, and a corner is dragged', async () => {
    const owner = await newOwner();
    await owner.make('/users/me/geofences', DEPOT);
    await bed.visit('/geofences/new?shape=polygon', { as: owner }, async (page) => {
      const at = await readyMap(page);
      for (const corner of [at(0.3, 0.3), at(0.6, 0.3), at(0.6, 0.6), at(0.3, 0.6), at(0.3, 0.3)])
        await press(page, corner);
      await page.getByText('Drag a corner to move it').waitFor();
      await page.getByText('Enter corners as text').click();
      const corners = () => page.getByLabel('Corners').inputValue();
      const before = await corners();
      assert.equal(before.split('\n').length, 4, before);
      await drag(page, at(0.6, 0.6), at(0.7, 0.7));
      await until(async () => (await corners()) !== before, 'the corner moves');
      await page.getByLabel('Name').fill('Yard');
      await page.getByRole('button', { name: 'Add geofence' }).click();
      await page.getByRole('heading', { name: 'Yard', level: 1 }).waitFor();
    });
    const yard = (await fencesOf(owner)).find(({ name }: { name: string }) => name === 'Yard');
    assert.equal(yard.outline.length, 4);
    assert.equal(yard.center, null);
  });

  test('a radius is typed in feet by who reads feet, and stays so', async () => {
    const owner = await newOwner();
    await bed.visit('/geofences/new', { as: owner }, async (page) => {
      const units = { distance: 'imperial', length: 'imperial', temperature: 'fahrenheit' };
      await page.evaluate((kept) => localStorage.setItem('trackway.preferences', kept), JSON.stringify({ units }));
      await page.reload();
      await page.getByLabel('Name').fill('Gate');
      await page.getByLabel('Latitude').fill('52.1');
      await page.getByLabel('Longitude').fill('5.1');
      await page.getByLabel('Radius').fill('950');
      await page.getByLabel('Latitude').fill('52.2');
      await page.getByRole('button', { name: 'Add geofence' }).click();
      await page.getByText('Circle, radius 950 ft').first().waitFor();
    });
    const [gate] = (await owner.get('/users/me/geofences')).body;
    assert.equal(gate.radius, 289.56);
    assert.equal(gate.center.lat, 52.2);
  });

  test('without a mouse it is typed, and tuned under what is advanced', async () => {
    const owner = await newOwner();
    await bed.visit('/geofences/new', { as: owner, size: 'phone' }, async (page) => {
      await page.getByLabel('Name').fill('Gate');
      await page.getByRole('button', { name: 'Add geofence' }).click();
      await page.getByText('Draw the geofence on the map or enter its coordinates.').waitFor();
      await page.getByLabel('Latitude').fill('52.1');
      await page.getByLabel('Longitude').fill('5.1');
      await page.getByLabel('Radius').fill('75');
      await page.getByText('Advanced').click();
      await page.getByLabel('Outside after').fill('120');
      await page.getByLabel('Entry threshold').fill('20');
      await page.getByText('Must be lower than the entry threshold.').waitFor();
      await page.getByLabel('Entry threshold').fill('90');
      await assertFits(page);
      await page.getByRole('button', { name: 'Add geofence' }).click();
      await page.getByRole('heading', { name: 'Gate', level: 1 }).waitFor();
      await page.getByText('2 min', { exact: true }).waitFor();
      await assertFits(page);
    });
    const [gate] = await fencesOf(owner);
    assert.deepEqual(
      [gate.center, gate.radius, gate.meta],
      [{ lat: 52.1, lng: 5.1 }, 75, { exitAfter: 120, enterConfidence: 0.9 }],
    );
    await bed.visit(`/geofences/${gate.id}/edit`, { as: owner, size: 'phone' }, async (page) => {
      await page.getByText('Advanced').click();
      assert.equal(await page.getByLabel('Entry threshold').inputValue(), '90');
      await page.getByLabel('Outside after').fill('');
      await page.getByLabel('Inside after').fill('30');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Gate', level: 1 }).waitFor();
    });
    const { enterAfter, exitAfter, enterConfidence, meta } = await owner.client.getGeofenceV2({
      userid: 0,
      fenceid: gate.id,
    });
    assert.deepEqual([enterAfter, exitAfter, enterConfidence, meta], [30, null, 0.9, {}]);
  });

  test('who is inside shows by itself', async () => {
    const owner = await newOwner();
    const fence = await owner.make('/users/me/geofences', DEPOT);
    const van = await owner.make('/devices', { name: 'Van 3' });
    await bed.visit(`/geofences/${fence.id}`, { as: owner }, async (page) => {
      const inside = page.getByRole('region', { name: 'Inside now' });
      await inside.getByText('No devices').waitFor();
      await report(owner, van.id, 0, 1);
      await inside.getByRole('link', { name: /Van 3/ }).waitFor();
      await report(owner, van.id, 900, 120);
      await inside.getByText('No devices').waitFor();
    });
  });

  test('a deleted one comes back by undo', async () => {
    const owner = await newOwner();
    const fence = await owner.make('/users/me/geofences', DEPOT);
    await bed.visit(`/geofences/${fence.id}`, { as: owner }, async (page) => {
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('“Depot” was deleted').waitFor();
      await page.getByRole('heading', { name: 'Draw your first geofence' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('heading', { name: 'Depot', level: 1 }).waitFor();
    });
    const [back] = await fencesOf(owner);
    assert.deepEqual([back.name, back.center, back.radius, back.meta], [DEPOT.name, DEPOT.center, 200, DEPOT.meta]);
  });

  test('the list is narrowed by word and group, and both stand in the address', async () => {
    const owner = await newOwner();
    for (const [name, type] of [
      ['Depot', 'home'],
      ['Workshop', 'home'],
      ['Market', 'customers'],
    ])
      await owner.make('/users/me/geofences', { ...DEPOT, name, type });
    await bed.visit('/geofences?group=home', { as: owner, size: 'phone' }, async (page) => {
      const rows = page.getByRole('list', { name: 'Geofences' }).getByRole('link');
      await rows.first().waitFor();
      await assertCount(rows, 2);
      await page.getByRole('searchbox', { name: 'Search geofences' }).fill('work');
      await until(async () => (await rows.count()) === 1, 'one fits');
      assert.match(page.url(), /q=work/);
      await page.getByRole('button', { name: /^All/ }).click();
      await page.getByRole('searchbox').fill('mark');
      await page.getByRole('link', { name: /Market/ }).waitFor();
      await assertFits(page);
    });
  });

  test('GeoJSON is imported after a look at what will come of it, and exported again', async () => {
    const owner = await newOwner();
    const ring = [
      [5, 52],
      [5.01, 52],
      [5.01, 52.01],
      [5, 52],
    ];
    const file = JSON.stringify({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          properties: { name: 'Triangle', type: 'fields' },
          geometry: { type: 'Polygon', coordinates: [ring] },
        },
        {
          type: 'Feature',
          properties: { name: 'Round', radius: 120 },
          geometry: { type: 'Point', coordinates: [5, 52] },
        },
        { type: 'Feature', properties: { name: 'Road' }, geometry: { type: 'LineString', coordinates: ring } },
      ],
    });
    await bed.visit('/geofences', { as: owner }, async (page) => {
      await page.getByRole('heading', { name: 'Draw your first geofence' }).waitFor();
      await page.getByRole('button', { name: 'Import and export' }).click();
      await page.getByRole('menuitem', { name: 'Import GeoJSON' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Or paste GeoJSON here').fill('{"type":"Nothing"}');
      await dialog.getByText('not GeoJSON').waitFor();
      await dialog
        .getByLabel('Choose a file')
        .setInputFiles({ name: 'places.geojson', mimeType: 'application/geo+json', buffer: Buffer.from(file) });
      await dialog.getByText('2 geofences will be created').waitFor();
      await dialog.getByText('is a LineString').waitFor();
      assert.equal((await fencesOf(owner)).length, 0, 'nothing is made by looking');
      await dialog.getByRole('button', { name: 'Import 2 geofences' }).click();
      await page.getByRole('link', { name: /Triangle/ }).waitFor();
      await page.getByRole('link', { name: /Round/ }).waitFor();

      await page.getByRole('button', { name: 'Import and export' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'Export GeoJSON' }).click();
      const written = JSON.parse(await readFile(await (await download).path(), 'utf8'));
      const round = written.features.find(
        ({ properties }: { properties: { name: string } }) => properties.name === 'Round',
      );
      assert.deepEqual(round.geometry, { type: 'Point', coordinates: [5, 52] });
      assert.equal(round.properties.radius, 120);
      assert.equal(written.features.length, 2);
    });
  });
});

/** A place some metres north of the depot, some seconds from now. */
async function report(owner: Voice, deviceId: number, metres: number, inSeconds: number): Promise<void> {
  const { lat, lng } = DEPOT.center;
  await owner.make(`/devices/${deviceId}/points`, {
    timestamp: new Date(Date.now() + inSeconds * 1000).toISOString(),
    location: { lat: lat + metres / METRES_PER_DEGREE, lng },
    accuracy: 5,
  });
}

type Spot = [x: number, y: number];

/** Waits until the map takes drawing, and returns where on the screen a share of it is. */
async function readyMap(page: Page): Promise<(x: number, y: number) => Spot> {
  const canvas = page.locator('canvas.maplibregl-canvas');
  await canvas.waitFor();
  await until(async () => (await canvas.evaluate((element) => element.style.cursor)) === 'crosshair', 'one can draw');
  const box = (await canvas.boundingBox())!;
  return (x, y) => [box.x + x * box.width, box.y + y * box.height];
}

/** As a hand does it: move there, then press. */
async function press(page: Page, spot: Spot): Promise<void> {
  await page.mouse.move(...spot, { steps: 4 });
  await page.mouse.down();
  await page.mouse.up();
}

async function drag(page: Page, from: Spot, to: Spot): Promise<void> {
  await page.mouse.move(...from, { steps: 4 });
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 8 });
  await page.mouse.up();
}
