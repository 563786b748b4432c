import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { inBrowser } from './harness.ts';

const DIST = join(import.meta.dirname, '../../../console/dist');
/** Besides the map library and the bundled map of the world. */
const MOST_BYTES = 200_000;
/** Packing less than this would only cost. */
const SMALL_BYTES = 2000;
const OF_THE_MAP = /map-parts|drawn-map|map-worker|tile_cache|land-|places-/;

inBrowser('The first load of the console', (bed) => {
  test('is small besides the map, and packed', async (context) => {
    const loaded = new Set<string>();
    await bed.visit('/', { as: bed.admin }, async (page) => {
      page.on('request', (request) => loaded.add(new URL(request.url()).pathname));
      const unpacked: string[] = [];
      page.on('response', (response) => {
        const { 'content-encoding': encoding, 'content-length': length } = response.headers();
        if (response.url().includes('/assets/') && !encoding && Number(length) > SMALL_BYTES)
          unpacked.push(response.url());
      });
      await page.reload();
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      await page.locator('canvas, h1, h2').first().waitFor();
      assert.deepEqual(unpacked, []);
    });
    const files = [...loaded].filter((path) => path.startsWith('/assets/')).map((path) => join(DIST, path));
    assert.ok(files.length > 3 && files.every((file) => existsSync(file)), files.join());
    const counted = files.filter((file) => !OF_THE_MAP.test(file));
    const bytes = counted.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
    context.diagnostic(`${bytes} bytes in ${counted.length} files`);
    assert.ok(bytes < MOST_BYTES, `the first load is ${bytes} bytes`);
    const map = files.filter((file) => OF_THE_MAP.test(file));
    assert.ok(map.length > 0 && counted.length > 2, 'both the map and the rest were seen');
  });
});
