import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { findings } from './axe.ts';
import { cutOff } from './cut-off.ts';
import { ALLOWS_LOCAL, type Furnished, furnish } from './furnish.ts';
import { assertFits, inBrowser } from './harness.ts';
import { settled } from './settled.ts';
import { walk } from './walk.ts';

/** Kept for people to look at. */
const PICTURES = join(import.meta.dirname, '../../pictures');
const TITLES = { de: 'Einstellungen', fr: 'Paramètres', es: 'Ajustes', en: 'Settings' } as const;

inBrowser(
  'The console in other languages',
  (bed) => {
    let furnished: Furnished;
    before(async () => {
      mkdirSync(PICTURES, { recursive: true });
      furnished = await furnish(bed, (name) => name);
    });
    after(() => furnished?.end());

    const speak = async (language: string | null) => {
      const { status, text } = await bed.admin.put(`/users/${bed.admin.id}`, { language });
      assert.equal(status, 200, text);
    };

    test('a page in each language, chosen by the user', async () => {
      for (const [language, title] of Object.entries(TITLES)) {
        await speak(language);
        await bed.visit('/settings', { as: bed.admin }, async (page) => {
          await page.getByRole('heading', { level: 1, name: title }).waitFor();
          assert.equal(await page.evaluate(() => document.documentElement.lang), language);
          await settled(page);
          assert.deepEqual(await findings(page), []);
        });
      }
      await speak(null);
    });

    test('German fits on a phone and on a laptop, on every page, and breaks no word', async () => {
      await speak('de');
      const problems: string[] = [];
      for (const size of ['phone', 'laptop'] as const)
        await walk(bed, { size }, furnished.pages, async (page, name) => {
          await assertFits(page);
          await page.screenshot({ path: join(PICTURES, `${name}-${size}-de.png`), animations: 'disabled' });
          const found = [...(await findings(page)), ...(await cutOff(page))];
          problems.push(...found.map((finding) => `${name} on a ${size}: ${finding}`));
        });
      assert.deepEqual(problems, []);
    });
  },
  ALLOWS_LOCAL,
);
