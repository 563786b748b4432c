import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import type { Browser, BrowserContext, Cookie, Page, Request } from 'playwright-core';
import { type Api, apiOf } from '../harness/api.ts';
import { adminOf, type Person } from '../harness/people.ts';
import { startInProcess } from '../harness/server-in-process.ts';
import type { Server } from '../harness/server-process.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { chromiumPlace, launchChromium } from './chromium.ts';
import { drawNothing } from './draw-nothing.ts';
import { watchRequests } from './settled.ts';
import { PATIENCE_MS } from './until.ts';

/** The console as people see it: a real server, and a real browser that may not call any other. */

export const SIZES = { laptop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } } as const;
export type Size = keyof typeof SIZES;
export type Theme = 'light' | 'dark';

export interface VisitOptions {
  /** Who is signed in; absent if no user is. */
  readonly as?: Person;
  readonly size?: Size;
  readonly theme?: Theme;
  /** Draws what maps show. Otherwise all of a map's code runs, but WebGL draws nothing, which takes half the time. */
  readonly drawsMaps?: boolean;
  /** Uses the whole browser, which has push messages. */
  readonly isWhole?: boolean;
  /** Goes to the name of this machine instead of its number: passkeys belong to names. */
  readonly byName?: boolean;
  /** Another server that the page may go to. */
  readonly alsoAsks?: string;
  /** Troubles that belong to the test: what the browser says of an answer that refuses, for instance. */
  readonly allows?: readonly RegExp[];
}

export interface Bed {
  readonly server: Server;
  /** The data folder of the server. */
  readonly folder: string;
  readonly api: Api;
  readonly admin: Voice;
  /**
   * Opens an address of the console, does something there and leaves it for another page. Fails where the page said an
   * error, threw one, left a rejection unhandled, broke its content security policy, opened a dialog of the browser or
   * asked anyone but the server: at any time, on the way out included.
   */
  visit(path: string, options: VisitOptions, what: (page: Page) => Promise<void>): Promise<void>;
}

/** One for all tests of this process. Visits share nothing but files that never change. */
const launched = new Map<boolean, Promise<Browser>>();
const browser = (isWhole = false) => {
  const found = launched.get(isWhole) ?? launchChromium(isWhole);
  launched.set(isWhole, found);
  return found;
};
const close = async () => {
  for (const one of launched.values()) await (await one).close();
};
if (process.connected) process.once('disconnect', close);
else after(close);

/** Declares tests with a browser and a server of their own; they are skipped, and say so, where there is no browser. */
export function inBrowser(name: string, declareTests: (bed: Bed) => void, settings: Record<string, string> = {}): void {
  const missing = chromiumPlace() === undefined;
  if (missing) {
    console.error(`\n*** NOT TESTED IN A BROWSER, since Chromium is missing (apt-get install chromium): ${name} ***\n`);
  }
  describe(name, { skip: missing && 'Chromium is missing: apt-get install chromium' }, () => {
    const bed = {} as { -readonly [K in keyof Bed]: Bed[K] };
    let folder: string | undefined;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trackway-console-'));
      bed.folder = folder;
      bed.server = await startInProcess('sqlite', folder, settings);
      bed.api = apiOf(bed.server.address);
      if (settings.TRACKWAY_ADMIN_EMAIL !== '') bed.admin = voiceOf(bed.api, await adminOf(bed.api));
      bed.visit = async (path, options, what) =>
        visit(await browser(options.isWhole), bed.server.address, path, options, what);
    });
    after(async () => {
      bed.api?.close();
      await bed.server?.stop();
      if (folder) await rm(folder, { recursive: true, force: true });
    });
    declareTests(bed);
  });
}

async function visit(
  browser: Browser,
  served: string,
  path: string,
  { as, size = 'laptop', theme = 'light', drawsMaps = false, allows = [], byName = false, alsoAsks }: VisitOptions,
  what: (page: Page) => Promise<void>,
): Promise<void> {
  const address = byName ? served.replace('127.0.0.1', 'localhost') : served;
  const context = await takeContext(browser, size, theme, drawsMaps);
  if (as) await context.addCookies([await signedIn(address, as)]);
  const troubles: string[] = [];
  const isOurs = (url: URL) => url.origin === address || url.origin === alsoAsks || !url.protocol.startsWith('http');
  // It gets no answer: the browser finds no other machine.
  const onRequest = (request: Request) => {
    if (!isOurs(new URL(request.url()))) troubles.push(`it asked ${request.url()}`);
  };
  // A page of the browser, and any other that a test opens in the same context.
  const onPage = (opened: Page) => listen(opened, troubles);
  context.on('request', onRequest).on('page', onPage);
  const page = await context.newPage();
  try {
    await page.goto(address + path);
    await what(page);
    await leave(page, address);
  } catch (error) {
    const seen = await page.innerText('body').catch(() => '(nothing)');
    await context.close();
    throw new Error(
      `${(error as Error).message}\n--- troubles: ${troubles.join('\n')}\n--- seen: ${seen.slice(0, 1500)}`,
      {
        cause: error,
      },
    );
  }
  await releaseContext(context, address);
  context.off('request', onRequest).off('page', onPage);
  const unexpected = troubles.filter((trouble) => !allows.some((allowed) => allowed.test(trouble)));
  assert.deepEqual(unexpected, [], `the page at ${path} is in trouble`);
}

/** Contexts that no visit uses, by what a visit asks for. A new one has to load and compile everything. */
const idle = new Map<string, BrowserContext[]>();
const kinds = new WeakMap<BrowserContext, string>();

async function takeContext(browser: Browser, size: Size, theme: Theme, drawsMaps: boolean): Promise<BrowserContext> {
  const kind = `${size} ${theme} ${drawsMaps}`;
  const free = idle.get(kind) ?? [];
  const at = free.findIndex((context) => context.browser() === browser);
  if (at >= 0) return free.splice(at, 1)[0]!;
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...(size === 'phone' && { hasTouch: true, isMobile: true }),
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (!drawsMaps) await context.addInitScript(drawNothing);
  kinds.set(context, kind);
  return context;
}

/** Leaves nothing in it but what the browser keeps of files that never change. */
async function releaseContext(context: BrowserContext, address: string): Promise<void> {
  const [last = await context.newPage(), ...others] = context.pages();
  for (const page of others) await page.close();
  const cdp = await context.newCDPSession(last);
  await cdp.send('Storage.clearDataForOrigin', { origin: address, storageTypes: 'all' });
  await last.close();
  await context.clearCookies();
  await context.clearPermissions();
  await context.unrouteAll();
  const kind = kinds.get(context)!;
  idle.set(kind, [...(idle.get(kind) ?? []), context]);
}

function listen(page: Page, troubles: string[]): void {
  watchRequests(page);
  page.on('console', (said) => said.type() === 'error' && troubles.push(`console: ${said.text()}`));
  // Errors that were not caught, and rejections that were not handled.
  page.on('pageerror', (error) => troubles.push(`error: ${error.stack ?? error.message}`));
  page.on('crash', () => troubles.push('the page crashed'));
  page.on('dialog', (dialog) => {
    troubles.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}

/** Goes to another page of the console, as a link would, and then away from it: what breaks at that is a trouble, too. */
async function leave(page: Page, address: string): Promise<void> {
  if (page.isClosed()) return;
  if (page.url().startsWith(address)) {
    await page.evaluate(() => history.pushState(null, '', '/nowhere'));
    await page.locator('main').first().waitFor();
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
    );
  }
  await page.goto('about:blank');
}

/** What the browser of someone keeps who signed in earlier: a cookie for one path, which no script reads. */
export async function signedIn(address: string, person: Person): Promise<Cookie> {
  const answer = await fetch(`${address}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: person.email, password: person.password }),
  });
  assert.equal(answer.status, 200, await answer.text());
  const [, name, value] = /^(\w+)=(\w+);/.exec(answer.headers.get('set-cookie') ?? '')!;
  const cookie = { name: name!, value: value!, domain: new URL(address).hostname, path: '/session', expires: -1 };
  return { ...cookie, httpOnly: true, secure: false, sameSite: 'Strict' };
}

/** Nothing on the page is wider than the window. */
export async function assertFits(page: Page): Promise<void> {
  const [wide, room] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth];
  });
  assert.ok(wide! <= room!, `the page is ${wide} px wide in a window of ${room} px`);
}
