import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { makePerson } from '../harness/people.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { inBrowser, SIZES } from './harness.ts';
import { settled } from './settled.ts';
import { until } from './until.ts';

/** Where the map looks while it knows of no position: `[lng, lat]` in its middle, and the zoom. */
const START = { lng: 10, lat: 32, zoom: 1.6 };
const LAND = [246, 247, 244];
const WATER = [213, 227, 234];

inBrowser('The map', (bed) => {
  const newOwner = async (): Promise<Voice> => voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'looks'));
  const newDevice = async (owner: Voice, name: string, location?: { lat: number; lng: number }): Promise<number> => {
    const { id } = await owner.make('/devices', { name });
    if (location) await owner.make(`/devices/${id}/points`, { location, accuracy: 5 });
    return id;
  };

  test('shows land where there is land and water where there is water', async () => {
    const owner = await newOwner();
    await newDevice(owner, 'Nowhere yet');
    await bed.visit('/', { drawsMaps: true, as: owner }, async (page) => {
      await page.getByText('offline').first().waitFor();
      await settled(page);
      const seen = await colorsAt(page, {
        Berlin: [14, 52],
        Siberia: [100, 66],
        Sahara: [5, 24],
        Brazil: [-52, -8],
        'the middle of the Atlantic': [-40, 30],
        'the North Atlantic': [-30, 50],
        'the Norwegian Sea': [2, 67],
        'the South Atlantic': [-15, -30],
        'the Indian Ocean': [80, -20],
      });
      assert.deepEqual(seen, {
        Berlin: 'land',
        Siberia: 'land',
        Sahara: 'land',
        Brazil: 'land',
        'the middle of the Atlantic': 'water',
        'the North Atlantic': 'water',
        'the Norwegian Sea': 'water',
        'the South Atlantic': 'water',
        'the Indian Ocean': 'water',
      });
    });
  });

  test('goes to a device that is to be shown, also after it was open', async () => {
    const owner = await newOwner();
    await newDevice(owner, 'Berlin van', { lat: 52.5, lng: 13.4 });
    await newDevice(owner, 'Cape van', { lat: -33.9, lng: 18.4 });
    await bed.visit('/', { drawsMaps: true, as: owner }, async (page) => {
      await page.getByText('stopped').first().waitFor();
      await settled(page);
      for (const name of ['Cape van', 'Berlin van']) {
        await page.getByRole('link', { name: 'Devices', exact: true }).click();
        await page.getByRole('listitem').filter({ hasText: name }).locator('a[href^="/?device="]').click();
        await page.getByRole('heading', { name, level: 2 }).waitFor();
        await settled(page);
        await pressWhereItMustBe(page);
        await page.getByRole('heading', { name, level: 2 }).waitFor();
      }
    });
  });

  test('shows where a moving device comes from, unless the viewer wants no trails', async () => {
    const owner = await newOwner();
    const { deviceKey } = await owner.make('/devices', { name: 'Van 3' });
    const now = Date.now();
    const points = Array.from({ length: 12 }, (_, step) => ({
      timestamp: new Date(now - (12 - step) * 30_000).toISOString(),
      location: { lat: 52.5 + step * 0.0015, lng: 13.4 + step * 0.002 },
      speed: 50,
      accuracy: 5,
    }));
    const { status, text } = await bed.api('POST', '/ingest/reports', { token: deviceKey, body: { points } });
    assert.equal(status, 200, text);
    const drawn = (page: Page) =>
      page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('canvas[aria-hidden="true"]');
        if (canvas === null || canvas.width === 0) return 0;
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        let seen = 0;
        for (let at = 3; at < data.length; at += 4) if (data[at]! > 0) seen++;
        return seen;
      });
    await bed.visit('/', { drawsMaps: true, as: owner }, async (page) => {
      await page.getByText('moving').first().waitFor();
      await settled(page);
      const trails = async () => {
        await page.getByRole('button', { name: 'Map layers' }).click();
        await page.getByRole('menuitemradio', { name: 'Trails of the last 10 minutes' }).click();
      };
      await trails();
      await page.reload();
      let without = 0;
      await until(async () => {
        without = await drawn(page);
        return without > 0;
      }, 'the device is drawn');
      // Its mark and its name are far less than its way.
      await trails();
      await until(async () => (await drawn(page)) > without + 300, 'the trail is drawn');
      await trails();
      await until(async () => (await drawn(page)) <= without, 'the trail is gone');
    });
  });

  test('keeps the chosen device free of what stands above the map, on a phone', async () => {
    const owner = await newOwner();
    const id = await newDevice(owner, 'Van 3', { lat: 52.5, lng: 13.4 });
    await newDevice(owner, 'Far away', { lat: 40, lng: -3 });
    await bed.visit(`/?device=${id}`, { as: owner, size: 'phone' }, async (page) => {
      await page.getByRole('heading', { name: 'Van 3', level: 2 }).waitFor();
      await settled(page);
      const { top, bottom } = await freePart(page);
      assert.ok(bottom - top > 100, `only ${bottom - top} px of the map are free`);
      const spot = await freeMiddle(page);
      await pressWhereItMustBe(page);
      // Had the press met nothing, it would have closed the panel.
      await page.getByRole('heading', { name: 'Van 3', level: 2 }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('heading', { name: 'Van 3', level: 2 }).waitFor({ state: 'detached' });
      await pressOn(page, spot);
      await page.getByRole('heading', { name: 'Van 3', level: 2 }).waitFor();
    });
  });
});

type Spot = readonly [x: number, y: number];

/** Presses in the middle of the free part of the map, which is where a device is that was gone to. */
async function pressWhereItMustBe(page: Page): Promise<void> {
  await pressOn(page, await freeMiddle(page));
  await settled(page);
}

async function pressOn(page: Page, [x, y]: Spot): Promise<void> {
  const isMap = await page.evaluate(
    ([left, top]) => document.elementFromPoint(left, top)?.closest('.maplibregl-map') !== null,
    [x, y] as const,
  );
  assert.ok(isMap, `something lies above the map at ${x}, ${y}`);
  await page.mouse.click(x, y);
}

/** What is neither under the search nor under the panel of the device. */
async function freePart(page: Page): Promise<{ top: number; bottom: number }> {
  const map = (await page.locator('.maplibregl-map').boundingBox())!;
  const search = (await page.locator('[data-covers=top]').boundingBox())!;
  const panel = (await page.locator('[data-covers=side]').boundingBox())!;
  const isAtFoot = panel.width > map.width * 0.9;
  return { top: search.y + search.height, bottom: isAtFoot ? panel.y : map.y + map.height };
}

async function freeMiddle(page: Page): Promise<Spot> {
  const { top, bottom } = await freePart(page);
  const map = (await page.locator('.maplibregl-map').boundingBox())!;
  const panel = (await page.locator('[data-covers=side]').boundingBox())!;
  // On a phone, the panel takes their place.
  const controls = await page.locator('[data-covers=right]').boundingBox();
  const left = panel.width < map.width * 0.9 ? panel.x + panel.width : map.x;
  return [(left + (controls?.x ?? map.x + map.width)) / 2, (top + bottom) / 2];
}

/** Whether places of the world are drawn as land or as water, by the colour that most of the pixels there have. */
async function colorsAt(
  page: Page,
  places: Record<string, [lng: number, lat: number]>,
): Promise<Record<string, string>> {
  const map = (await page.locator('.maplibregl-map').boundingBox())!;
  const size = 512 * 2 ** START.zoom;
  const spots = Object.values(places).map(([lng, lat]) => [
    map.x + map.width / 2 + ((lng - START.lng) / 360) * size,
    map.y + map.height / 2 + (mercatorY(lat) - mercatorY(START.lat)) * size,
  ]);
  for (const [x, y] of spots)
    assert.ok(x! > 0 && y! > 0 && x! < SIZES.laptop.width && y! < SIZES.laptop.height, 'every place is in sight');
  const picture = (await page.screenshot()).toString('base64');
  // A page of the console lets no such picture in; an empty one does.
  const reader = await page.context().newPage();
  const blocks = await reader.evaluate(
    async ([data, where]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
      canvas.drawImage(image, 0, 0);
      return where.map(([x, y]) => [...canvas.getImageData(Math.round(x!) - 4, Math.round(y!) - 4, 9, 9).data]);
    },
    [picture, spots] as const,
  );
  await reader.close();
  return Object.fromEntries(Object.keys(places).map((name, index) => [name, groundOf(blocks[index]!)]));
}

function groundOf(pixels: readonly number[]): string {
  const is = (at: number, color: readonly number[]) =>
    color.every((part, band) => Math.abs(pixels[at + band]! - part) < 5);
  const counts = { land: 0, water: 0, other: 0 };
  for (let at = 0; at < pixels.length; at += 4) counts[is(at, LAND) ? 'land' : is(at, WATER) ? 'water' : 'other']++;
  return Object.entries(counts).reduce((one, next) => (next[1] > one[1] ? next : one))[0];
}

function mercatorY(lat: number): number {
  const sine = Math.sin((lat * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}
