import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { inBrowser } from './harness.ts';
import { goOn, settled } from './settled.ts';

const PAGES = ['/', '/devices', '/notifications', '/reports', '/settings'];
/** Nobody sees what is over so soon. */
const MOST_MS = 10;

inBrowser('Whoever asks for less motion', (bed) => {
  test('sees nothing move by itself: not on pages, not in menus, not while something loads', async () => {
    await bed.admin.make('/devices', { name: 'Van 3' });
    await bed.visit('/devices', { as: bed.admin }, async (page) => {
      await settled(page);
      let usually = 0;
      for (const path of PAGES) {
        await goOn(page, path);
        assert.deepEqual(await moving(page), [], path);
        await page.emulateMedia({ reducedMotion: 'no-preference' });
        usually += (await moving(page)).length;
        await page.emulateMedia({ reducedMotion: 'reduce' });
      }
      assert.ok(usually > 0, 'others see something move');

      await page.getByRole('button', { name: /^Account/ }).click();
      assert.deepEqual(await moving(page), [], 'a menu');

      const held = Promise.withResolvers<void>();
      await page.route('**/api/users/me/drivers*', async (route) => {
        await held.promise;
        await route.continue();
      });
      await page.evaluate(() => history.pushState(null, '', '/drivers'));
      await page.locator('[data-loading], [aria-busy=true]').first().waitFor({ state: 'attached' });
      assert.deepEqual(await moving(page), [], 'while it loads');
      held.resolve();
      await settled(page);
    });
  });
});

/** What moves, or would when it changes: elements, and what stands before and after them. */
const moving = (page: Page): Promise<string[]> =>
  page.evaluate((mostMs) => {
    const longest = (durations: string) =>
      Math.max(...durations.split(',').map((one) => Number.parseFloat(one) * 1000));
    const found: string[] = [];
    for (const element of document.querySelectorAll('*'))
      for (const part of [undefined, '::before', '::after']) {
        const style = getComputedStyle(element, part);
        const isAnimated = style.animationName !== 'none';
        const goesOn = isAnimated && style.animationIterationCount.split(',').some((count) => count.trim() !== '1');
        const lasts = Math.max(longest(style.transitionDuration), isAnimated ? longest(style.animationDuration) : 0);
        if (goesOn || lasts > mostMs)
          found.push(`<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}">${part ?? ''}`);
      }
    return found;
  }, MOST_MS);
