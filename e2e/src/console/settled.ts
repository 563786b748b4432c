import type { Page, Request } from 'playwright-core';
import { until } from './until.ts';

/** Requests that are under way, of pages that are watched. */
const underWay = new WeakMap<Page, Set<Request>>();
const STREAM = '/api/live';

/** Counts the requests of a page from now on. The live stream never ends, so it does not count. */
export function watchRequests(page: Page): void {
  const open = new Set<Request>();
  underWay.set(page, open);
  page.on('request', (request) => !new URL(request.url()).pathname.startsWith(STREAM) && open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
}

/** Until the page shows what it has: nothing is asked for any more, no part of it is loading, and all maps are drawn. */
export async function settled(page: Page): Promise<void> {
  const open = underWay.get(page);
  if (open === undefined) throw new Error('The requests of this page are not watched');
  await page.locator('main, form').first().waitFor();
  await until(async () => open.size === 0 && (await isDrawn(page)) && open.size === 0, 'the page has settled');
}

/** Whether nothing is loading after what was asked for has come and was drawn. */
const isDrawn = (page: Page) =>
  isDrawnNow(page).catch((error: Error) => {
    // It is loaded anew, as where the user speaks another language than the browser.
    if (error.message.includes('Execution context was destroyed')) return false;
    throw error;
  });

const isDrawnNow = (page: Page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await document.fonts.ready;
    await frame();
    await frame();
    return document.body.innerText.trim() !== '' && document.querySelector('[data-loading], [aria-busy=true]') === null;
  });

/** Goes on to another address as a link of the page would, without loading everything anew. */
export async function goOn(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path);
  await settled(page);
}

/** Until all transitions and animations that end have ended: in the middle of one, colors and places are temporary. */
export const animationsEnded = (page: Page) =>
  page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
