import { get } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { onMap } from './console-page.ts';
import type { Api } from './trackway.ts';

/** What a browser loads when it opens the map for the first time, in bytes with gzip. */
export interface Weight {
  /** Without the map library and the bundled map. */
  readonly page: number;
  readonly map: number;
  readonly files: number;
}

/** The library that draws maps, its style and worker, and the land, water and names of the bundled map. */
const MAP_FILE = /maplibre|map-view|basemap|\/land-|\/places-/;

/** Every file of the console, as the page asked for it; answers of the API are not counted. */
export async function weighFirstLoad(browser: Browser, viewer: Api, settleMs: number): Promise<Weight> {
  const asked = new Set<string>();
  await onMap(
    browser,
    viewer,
    (page) => page.waitForTimeout(settleMs),
    (page) => {
      page.on('request', (request) => asked.add(request.url()));
    },
  );
  const weight = { page: 0, map: 0, files: 0 };
  for (const url of asked) {
    const { pathname, protocol } = new URL(url);
    if (!protocol.startsWith('http') || /^\/(api|v2|session)\b/.test(pathname)) continue;
    weight[MAP_FILE.test(pathname) ? 'map' : 'page'] += await gzippedSize(url);
    weight.files += 1;
  }
  return weight;
}

/** What a browser with an empty cache receives from the server for one page, in bytes; tiles are on another server. */
export async function transferredBytes(browser: Browser, url: string, settleMs: number): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    const received: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).origin !== new URL(url).origin) return;
      const size = request
        .sizes()
        .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize);
      received.push(size);
    });
    await page.goto(url);
    await page.waitForTimeout(settleMs);
    return (await Promise.all(received)).reduce((sum, bytes) => sum + bytes, 0);
  } finally {
    await context.close();
  }
}

/** The bytes of an answer as they are sent; what the server sends plainly counts as it would with gzip. */
export async function gzippedSize(url: string, headers: Record<string, string> = {}): Promise<number> {
  const { body, encoding } = await received(url, { ...headers, 'accept-encoding': 'gzip' });
  return encoding === 'gzip' ? body.length : gzipSync(body).length;
}

function received(url: string, headers: Record<string, string>) {
  return new Promise<{ body: Buffer; encoding: string | undefined }>((resolve, reject) => {
    get(url, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () => {
        if (answer.statusCode !== 200) return reject(new Error(`${answer.statusCode} ${url}`));
        resolve({ body: Buffer.concat(parts), encoding: answer.headers['content-encoding'] });
      });
      answer.on('error', reject);
    }).on('error', reject);
  });
}
