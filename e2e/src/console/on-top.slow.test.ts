import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { ALLOWS_LOCAL, type Furnished, furnish } from './furnish.ts';
import { inBrowser } from './harness.ts';
import { goOn } from './settled.ts';
import { walk } from './walk.ts';

inBrowser(
  'What opens on a page',
  (bed) => {
    let furnished: Furnished;
    before(async () => {
      furnished = await furnish(bed, (name) => name);
    });
    after(() => furnished?.end());

    test('lies on top of everything else: dialogs of every page', async (context) => {
      const problems: string[] = [];
      let opened = 0;
      // Buttons are pressed without regard to what they do, so no request that changes something leaves the browser.
      await walk(bed, { allows: [/./] }, furnished.pages, async (page, name) => {
        await page.route('**/*', (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()));
        const path = new URL(page.url()).pathname + new URL(page.url()).search;
        const count = await page.locator('main button:not([aria-haspopup])').count();
        for (let index = 0; index < count; index++) {
          const found = await pressAndLook(page, index);
          opened += found.isDialog ? 1 : 0;
          problems.push(...found.problems.map((problem) => `${name}: ${problem}`));
          if (new URL(page.url()).pathname + new URL(page.url()).search !== path) await goOn(page, path);
        }
        await page.unroute('**/*');
      });
      context.diagnostic(`${opened} were opened`);
      assert.ok(opened > 30, `only ${opened} were opened`);
      assert.deepEqual(problems, []);
    });
  },
  ALLOWS_LOCAL,
);

/** Presses a button, and returns what of a dialog that it opens something else covers. */
const pressAndLook = (page: Page, index: number) =>
  page.evaluate(async (at) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const button = [...document.querySelectorAll<HTMLButtonElement>('main button:not([aria-haspopup])')][at];
    if (!button || button.disabled || !button.checkVisibility()) return { isDialog: false, problems: [] };
    button.click();
    await frame();
    const dialog = document.querySelector('dialog[open]');
    if (dialog === null) return { isDialog: false, problems: [] };
    const problems: string[] = [];
    for (const element of dialog.querySelectorAll('h2, header button, footer button')) {
      const { left, top, width, height } = element.getBoundingClientRect();
      const seen = document.elementFromPoint(left + width / 2, top + height / 2);
      if (!element.contains(seen)) problems.push(`“${element.textContent}” of a dialog is below another element`);
    }
    dialog.querySelector<HTMLButtonElement>('header button')!.click();
    await frame();
    if (dialog.isConnected) problems.push(`the dialog of “${button.textContent}” does not close`);
    return { isDialog: true, problems };
  }, index);
