import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { findings } from './axe.ts';
import { cutOff } from './cut-off.ts';
import { ALLOWS_LOCAL, type Furnished, furnish } from './furnish.ts';
import { assertFits, inBrowser, type Size, type Theme } from './harness.ts';
import { settled } from './settled.ts';
import { walk } from './walk.ts';

/** Every page in both themes and at both sizes; the pictures are kept for people to look at. */
const PICTURES = join(import.meta.dirname, '../../pictures');
const LOOKS: readonly [Size, Theme][] = [
  ['laptop', 'light'],
  ['phone', 'dark'],
];
const DOORS = [
  ['sign-in', '/sign-in'],
  ['set-up', '/setup#a-token'],
  ['forgot', '/forgot'],
  ['reset', '/reset#a-token'],
  ['confirm', '/confirm#a-token'],
  ['invitation', '/invitation#a-token'],
  ['mail-answer', '/mail#a-token'],
] as const;

inBrowser(
  'Every page of the console',
  (bed) => {
    let furnished: Furnished;
    before(async () => {
      mkdirSync(PICTURES, { recursive: true });
      console.error(`Pictures of every page: ${PICTURES}`);
      furnished = await furnish(bed, (name) => name);
    });
    after(() => furnished?.end());

    test('can be used by everyone, on a laptop and on a phone, in both themes, and cuts no text off', async (context) => {
      const problems: string[] = [];
      const examine = async (page: Page, [size, theme]: (typeof LOOKS)[number], name: string) => {
        await assertFits(page);
        await page.screenshot({ path: join(PICTURES, `${name}-${size}-${theme}.png`), animations: 'disabled' });
        const found = [...(await findings(page)), ...(await cutOff(page))];
        problems.push(...found.map((finding) => `${name} on a ${size}, ${theme}: ${finding}`));
      };
      const walkIn = async ([size, theme]: (typeof LOOKS)[number]) => {
        for (const [name, path] of DOORS) {
          await bed.visit(path, { size, theme }, async (page) => {
            await settled(page);
            await examine(page, [size, theme], name);
          });
        }
        await walk(bed, { size, theme }, furnished.pages, (page, name) => examine(page, [size, theme], name));
      };
      await Promise.all(LOOKS.map(walkIn));
      context.diagnostic(`${furnished.pages.length + DOORS.length} pages in ${LOOKS.length} looks`);
      assert.deepEqual(problems, []);
    });
  },
  ALLOWS_LOCAL,
);
