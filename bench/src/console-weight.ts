import { once } from 'node:events';
import { createServer as createHttpServer, get } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
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
const MAP_FILE = /drawn-map|map-parts|map-worker|tile_cache|\/land-|\/places-/;

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

/**
 * What a browser with an empty cache receives from the server for one page, in bytes: headers, and what workers load,
 * included. They are counted on the way, because the browser does not report all of them.
 */
export async function transferredBytes(browser: Browser, url: string, settleMs: number): Promise<number> {
  let bytes = 0;
  const counter = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    far.on('data', (part) => {
      bytes += part.length;
    });
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(counter, 'listening');
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    const counted = new URL(url);
    counted.port = String((counter.address() as AddressInfo).port);
    await page.goto(counted.href);
    await page.waitForTimeout(settleMs);
    return bytes;
  } finally {
    await context.close();
    counter.close();
  }
}

/** Has the server show a street map, whose server is another. */
export async function showStreets(owner: Api): Promise<{ end: () => Promise<void> }> {
  const streets = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
    response.end('{"version":8,"sources":{},"layers":[{"id":"land","type":"background"}]}');
  }).listen(0, '127.0.0.1');
  await once(streets, 'listening');
  const { port } = streets.address() as AddressInfo;
  await owner.put('/maps', { choice: 'style', style: `http://127.0.0.1:${port}/style.json` });
  return {
    async end() {
      await owner.put('/maps', { choice: 'world' });
      streets.close();
    },
  };
}

/** The size of an answer with gzip, also if the server sends it uncompressed. */
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
