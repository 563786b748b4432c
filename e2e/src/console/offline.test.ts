import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { type FastifyInstance, fastify } from 'fastify';
import type { Page } from 'playwright-core';
import { mountConsole } from '../../../server/src/edge/http/console.ts';
import { chromiumPlace, launchChromium } from './chromium.ts';
import { inBrowser } from './harness.ts';
import { PATIENCE_MS, until } from './until.ts';

const WORKER = join(import.meta.dirname, '../../../console/public/push-worker.js');

/** A console of one page and one script, which the server delivers as it does the real one. */
async function build(folder: string, version: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'assets'), { recursive: true });
  await copyFile(WORKER, join(folder, 'push-worker.js'));
  const script = `app-${version}.js`;
  await writeFile(join(folder, 'index.html'), `<!doctype html><main></main><script src="/assets/${script}"></script>`);
  await writeFile(join(folder, 'assets', script), `document.querySelector('main').textContent = 'version ${version}'`);
}

const keptIn = (page: Page) =>
  page.evaluate(async () => {
    const addresses: string[] = [];
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) addresses.push(new URL(url).pathname);
    return addresses.sort();
  });

test('the worker shows the newest console, the last one offline, and keeps no answer of the API', {
  skip: chromiumPlace() === undefined && 'Chromium is missing',
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trackway-offline-'));
  const start = async (port = 0): Promise<FastifyInstance> => {
    const server = fastify({ exposeHeadRoutes: false, forceCloseConnections: true });
    const pages = mountConsole(server, { mapAddresses: async () => [], folder });
    server.get('/api/secret', async () => ({ secret: true }));
    server.setNotFoundHandler((request, reply) => pages.serveUnknown(request, reply) ?? reply.code(404).send());
    await server.listen({ port, host: '127.0.0.1' });
    return server;
  };
  await build(folder, 'one');
  let server = await start();
  const { port } = server.server.address() as { port: number };
  const browser = await launchChromium(true);
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const at = (path: string) => page.goto(`http://127.0.0.1:${port}${path}`);
    const shows = (version: string) => page.getByText(`version ${version}`, { exact: true }).waitFor();
    await at('/');
    await shows('one');
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/push-worker.js');
      await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller)
        await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
    });
    await at('/devices/7');
    await shows('one');
    assert.deepEqual(await page.evaluate(async () => (await fetch('/api/secret')).json()), { secret: true });
    assert.deepEqual(await keptIn(page), ['/', '/assets/app-one.js']);

    await server.close();
    await at('/devices/8');
    await shows('one');
    await assert.rejects(
      page.evaluate(() => fetch('/api/secret')),
      'an answer of the API comes from the server or not',
    );
    const other = await context.newPage();
    await assert.rejects(other.goto(`http://127.0.0.1:${port}/l/handle`), 'the page of a link is not kept');
    await other.close();

    await build(folder, 'two');
    server = await start(port);
    // A connection that the browser still has to the old server may fail once.
    await until(async () => {
      await at('/');
      return (await page.locator('main:not(:empty)').innerText()) === 'version two';
    }, 'the new console is shown');
    // What is kept follows once the page is there.
    await page.waitForFunction(async () => {
      const names = await caches.keys();
      const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return kept.flat().some(({ url }) => url.endsWith('app-two.js'));
    });
    assert.deepEqual(await keptIn(page), ['/', '/assets/app-two.js'], 'nothing of the old console is left');
    await server.close();
    await at('/notifications');
    await shows('two');
  } finally {
    await browser.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});

inBrowser('The console as an app', (bed) => {
  test('can be installed: it has a manifest, icons and a worker', async () => {
    await bed.visit('/', { as: bed.admin }, async (page) => {
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      const address = await page.locator('link[rel=manifest]').getAttribute('href');
      const icons = await page.evaluate(async (path) => {
        const manifest = await (await fetch(path!)).json();
        if (manifest.start_url !== '/' || manifest.display !== 'standalone') throw new Error('not installable');
        const sizes: string[] = [];
        for (const { src, sizes: received } of manifest.icons) {
          const image = new Image();
          image.src = src;
          await image.decode();
          sizes.push(
            `${image.naturalWidth}x${image.naturalHeight}` === received ? received : `${src} is not ${received}`,
          );
        }
        return sizes;
      }, address);
      assert.deepEqual(icons, ['192x192', '512x512', '512x512']);
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    });
  });
});
