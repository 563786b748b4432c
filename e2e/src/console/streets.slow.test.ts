import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';
import { until } from './until.ts';
import { HERE, village } from './village.ts';

inBrowser('Streets', (bed) => {
  test('an admin is asked before browsers call anybody else, and the page may then ask exactly that server', async () => {
    const policy = async () =>
      String(
        (await fetch(`${bed.server.address}/`, { headers: { accept: 'text/html' } })).headers.get(
          'content-security-policy',
        ),
      );
    assert.doesNotMatch(await policy(), /https:/);
    await bed.admin.make('/devices', { name: 'Van' });
    await bed.visit('/', { drawsMaps: true, as: bed.admin, size: 'phone' }, async (page) => {
      await page.getByText('This map has no streets yet.').waitFor();
      await page.getByRole('link', { name: 'Choose a map' }).click();
      await page.getByRole('radio', { name: /Built-in world map/ }).waitFor();
    });
    await bed.visit('/welcome', { drawsMaps: true, as: bed.admin, size: 'phone' }, async (page) => {
      await page.getByRole('heading', { name: 'Do you want streets on the map?' }).waitFor();
      await page.getByText('tiles.openfreemap.org, which sees the IP address').waitFor();
      await assertFits(page);
      await page.getByRole('radio', { name: /Built-in world map/ }).check();
      await page.getByRole('button', { name: 'Use this map' }).click();
      await page.getByRole('heading', { name: 'Do you want streets on the map?' }).waitFor({ state: 'detached' });
    });
    assert.equal((await bed.admin.get('/maps')).body.choice, 'world');
    await bed.visit('/', { drawsMaps: true, as: bed.admin }, async (page) => {
      await settled(page);
      assert.equal(await page.getByText('This map has no streets yet.').count(), 0, 'who was asked has answered');
    });
    await bed.admin.put('/maps', { choice: 'public' });
    assert.match(await policy(), /connect-src 'self' https:\/\/tiles\.openfreemap\.org;/);
    await bed.admin.put('/maps', { choice: 'world' });
    assert.doesNotMatch(await policy(), /https:/);
  });

  test('the page says that a style could not be loaded, and shows the built-in map', async () => {
    const gone = 'http://127.0.0.1:9';
    await bed.admin.put('/maps', { choice: 'style', style: `${gone}/style.json` });
    await bed.visit(
      '/',
      { drawsMaps: true, as: bed.admin, alsoAsks: gone, allows: [/ERR_|Failed to load/] },
      async (page) => {
        await page.getByText('The street map could not be loaded. The built-in map is shown instead.').waitFor();
        await page.getByRole('button', { name: 'Try again' }).waitFor();
        await settled(page);
        await page.getByRole('button', { name: 'Dismiss' }).click();
        await page.getByText('The street map could not be loaded').waitFor({ state: 'detached' });
      },
    );
    const { id } = await bed.admin.make('/devices', { name: 'Van' });
    await bed.admin.make(`/devices/${id}/points`, {
      timestamp: new Date().toISOString(),
      location: { lat: 50, lng: 8 },
      locationType: 'gps',
    });
    const small = { as: bed.admin, size: 'phone', alsoAsks: gone, allows: [/ERR_|Failed to load/] } as const;
    await bed.visit(`/devices/${id}`, small, async (page) => {
      const notice = page.getByRole('status').filter({ hasText: 'The street map could not be loaded' });
      await notice.waitFor();
      const map = (await page.locator('.maplibregl-map').boundingBox())!;
      const said = (await notice.boundingBox())!;
      const MARK_PX = 20;
      assert.ok(said.y > map.y + map.height / 2 + MARK_PX, 'the mark in the middle is seen');
    });
    await bed.admin.put('/maps', { choice: 'world' });
  });

  test('satellite pictures of a style of one’s own are shown and hidden, and stay as they were chosen', async (t) => {
    const asked: string[] = [];
    const origin = await serveStyle(t, (path) => asked.push(path));
    await bed.admin.put('/maps', { choice: 'style', style: `${origin}/style.json` });
    await bed.visit('/', { drawsMaps: true, as: bed.admin, alsoAsks: origin }, async (page) => {
      const press = async () => {
        await page.getByRole('button', { name: 'Map layers' }).click();
        await page.getByRole('menuitemradio', { name: 'Satellite' }).click();
        await settled(page);
      };
      await settled(page);
      const plain = await coloursOf(page);
      assert.deepEqual(asked, ['/style.json'], 'hidden pictures are not asked for');
      assert.equal(plain.get(RED) ?? 0, 0);
      await press();
      await until(async () => ((await coloursOf(page)).get(RED) ?? 0) > 10_000, 'the pictures are seen');
      assert.ok(asked.includes('/satellite.png'));
      await page.reload();
      await settled(page);
      await until(async () => ((await coloursOf(page)).get(RED) ?? 0) > 10_000, 'they still are');
      await press();
      await until(async () => ((await coloursOf(page)).get(RED) ?? 0) === 0, 'they are hidden again');
    });
    await bed.admin.put('/maps', { choice: 'world' });
  });

  test('a map file in the data folder gives streets with names, and nobody else is asked', async () => {
    await writeFile(join(bed.folder, 'village.pmtiles'), await village());
    const { files } = (await bed.admin.get('/maps')).body;
    assert.deepEqual(
      files.map(({ name, kind, maxZoom }: { name: string; kind: string; maxZoom: number }) => [name, kind, maxZoom]),
      [['village.pmtiles', 'vector', 13]],
    );
    await bed.admin.put('/maps', { choice: 'region', region: 'village.pmtiles' });
    const { id } = await bed.admin.make('/devices', { name: 'Van 3' });
    await bed.admin.make(`/devices/${id}/points`, { location: HERE, accuracy: 5 });
    for (const theme of ['light', 'dark'] as const)
      await bed.visit(`/devices/${id}`, { drawsMaps: true, as: bed.admin, theme }, async (page) => {
        const fonts: string[] = [];
        page.on('request', (request) => request.url().endsWith('.woff2') && fonts.push(request.url()));
        await page.reload();
        await settled(page);
        await until(async () => fonts.length > 0, 'a street name asked for its font');
        await settled(page);
        assert.ok(fonts.every((url) => url.startsWith(bed.server.address)));
        assert.ok((await coloursOf(page)).size > 25, 'street, lake and name are drawn');
        if (process.env.TRACKWAY_PICTURES)
          await page.screenshot({ path: join(process.env.TRACKWAY_PICTURES, `streets-${theme}.png`) });
        // The same switch is on every map.
        const plain = await page.locator('.maplibregl-map').screenshot();
        await page.getByRole('button', { name: 'Map layers' }).click();
        await page.getByRole('menuitemradio', { name: 'World outline' }).click();
        await settled(page);
        assert.ok(!plain.equals(await page.locator('.maplibregl-map').screenshot()));
      });
    await bed.visit('/settings', { drawsMaps: true, as: bed.admin }, async (page) => {
      const warnings: string[] = [];
      page.on('console', (said) => said.type() === 'warning' && warnings.push(said.text()));
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/map-files/**', async (route) => {
        await released;
        await route.continue();
      });
      await page.goto(`${bed.server.address}/?device=${id}`);
      const drawn = () =>
        page.evaluate(() => {
          const canvas = document.querySelector<HTMLCanvasElement>('canvas[aria-hidden]');
          const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
          return pixels?.some((value) => value > 0) === true;
        });
      await until(drawn, 'the device is drawn before the streets have come');
      const before = await coloursOf(page);
      const [most] = [...before].toSorted((one, other) => other[1] - one[1])[0]!;
      assert.equal(most.toString(16), 'f6f7f4', 'on the colour of land');
      release();
      await settled(page);
      await until(drawn, 'the device is drawn on the streets');
      const ofStyle = warnings.filter((text) => !/GPU stall|GL Driver|Canvas2D/.test(text));
      assert.deepEqual(ofStyle, []);
    });
    const { url } = await bed.admin.make(`/devices/${id}/links`, {});
    const path = new URL(url, bed.server.address).href.slice(bed.server.address.length);
    await bed.visit('/l/nothing', { drawsMaps: true }, async (page) => {
      const parts: number[] = [];
      const fonts: string[] = [];
      page.on('response', (answer) => answer.url().includes('/map-files/') && parts.push(answer.status()));
      page.on('request', (request) => request.url().endsWith('.woff2') && fonts.push(request.url()));
      await page.goto(bed.server.address + path);
      await page.getByRole('heading', { name: 'Van 3' }).waitFor();
      await until(async () => fonts.length > 0, 'whoever has the link sees names of streets');
      await settled(page);
      assert.deepEqual([...new Set(parts)], [206]);
      assert.equal(await page.getByText('The street map could not be loaded').count(), 0);
    });
    await bed.admin.put('/maps', { choice: 'world' });
    const [{ path: closed }] = (await bed.admin.get('/maps')).body.files;
    const refused = await fetch(bed.server.address + closed, { headers: { range: 'bytes=0-9' } });
    assert.equal(refused.status, 401, 'a file that is not the map is for users only');
  });
});

const RED = 0xff0000;

/** A style with satellite pictures that are hidden at first, at a server of its own. */
async function serveStyle(t: TestContext, asked: (path: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    const isStyle = request.url === '/style.json';
    asked(request.url!);
    response.writeHead(200, {
      'access-control-allow-origin': '*',
      'content-type': isStyle ? 'application/json' : 'image/png',
    });
    response.end(isStyle ? JSON.stringify(style) : pixel(RED));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const style = {
    version: 8,
    sources: { satellite: { type: 'raster', tiles: [`${origin}/satellite.png`], tileSize: 256 } },
    layers: [
      { id: 'land', type: 'background', paint: { 'background-color': '#ffffff' } },
      { id: 'satellite', type: 'raster', source: 'satellite', layout: { visibility: 'none' } },
    ],
  };
  return origin;
}

/** A picture of one pixel. */
function pixel(colour: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const row = deflateSync(Buffer.from([0, colour >> 16, (colour >> 8) & 255, colour & 255]));
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([magic, chunk('IHDR', header), chunk('IDAT', row), chunk('IEND', Buffer.alloc(0))]);
}

/** The colours of the map, and of how many pixels each is: land alone has few. */
async function coloursOf(page: Page): Promise<Map<number, number>> {
  const picture = (await page.locator('.maplibregl-map').screenshot()).toString('base64');
  const reader = await page.context().newPage();
  const counts = await reader.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
    canvas.drawImage(image, 0, 0);
    const pixels = canvas.getImageData(0, 0, image.width, image.height).data;
    const seen = new Map<number, number>();
    for (let at = 0; at < pixels.length; at += 4) {
      const colour = (pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!;
      seen.set(colour, (seen.get(colour) ?? 0) + 1);
    }
    return [...seen];
  }, picture);
  await reader.close();
  return new Map(counts);
}
