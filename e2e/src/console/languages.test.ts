import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { LANGUAGES } from '@trackway/contract/wording/languages.ts';
import type { Page } from 'playwright-core';
import { runsPart } from '../../../server/src/testing/databases.ts';
import { findings } from './axe.ts';
import { cutOff } from './cut-off.ts';
import { ALLOWS_LOCAL, type Furnished, furnish } from './furnish.ts';
import { assertFits, inBrowser, type Size } from './harness.ts';
import { settled } from './settled.ts';
import { walk } from './walk.ts';

/** Kept for people to look at. */
const PICTURES = join(import.meta.dirname, '../../pictures');
/** Names that belong to no language, so that words of English are the console's own. */
const nameless = (name: string) => name.replaceAll(/\p{L}+/gu, (word) => `X${word.length}`);
/** Words that no page in another language has. */
const ENGLISH =
  /(?<![\w/.-])([Tt]he|[Tt]his|[Aa]nd|[Oo]f|[Ww]ith|[Ff]rom|by|is|are|were|has|have|[Dd]evices?|[Cc]reated|[Cc]hanged|[Ee]nded|[Ss]ent|[Ss]igned|[Mm]issing|[Ww]rong)(?![\w/-])/;

/** Zones have one name in all languages: `Europe/Isle of Man`. */
const ZONE = /^[A-Z]\w+\/[A-Z]/;

const englishOn = async (page: Page): Promise<string[]> => {
  const lines = (await page.innerText('body')).split('\n');
  const english = lines.filter((line) => ENGLISH.test(line) && !ZONE.test(line));
  return [...new Set(english.map((line) => `English: “${line.slice(0, 120)}”`))];
};

inBrowser(
  'The console in other languages',
  (bed) => {
    let furnished: Furnished;
    before(async () => {
      mkdirSync(PICTURES, { recursive: true });
      furnished = await furnish(bed, nameless);
    });
    after(() => furnished?.end());

    const speak = async (language: string | null) => {
      const { status, text } = await bed.admin.put(`/users/${bed.admin.id}`, { language });
      assert.equal(status, 200, text);
    };

    test('a page in each language, chosen by the user', async () => {
      for (const language of LANGUAGES) {
        const title = messagesIn(language).settings.title;
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

    test('the table of tokens fits on a phone, in German', async () => {
      await speak('de');
      await bed.visit('/tokens', { as: bed.admin, size: 'phone' }, async (page) => {
        const revoke = page.getByRole('table').getByRole('button').first();
        await revoke.waitFor();
        const { x, width } = (await revoke.boundingBox())!;
        const room = await page.evaluate(() => innerWidth);
        assert.ok(x + width <= room, `the button ends at ${x + width} px in a window of ${room} px`);
      });
      await speak(null);
    });

    /** Checks every page in a language: that it fits, breaks no word, and shows no English. */
    async function walkIn(language: string, size: Size): Promise<void> {
      await speak(language);
      const problems: string[] = [];
      await walk(bed, { size, drawsMaps: runsPart('slow') }, furnished.pages, async (page, name) => {
        await assertFits(page);
        if (runsPart('slow'))
          await page.screenshot({ path: join(PICTURES, `${name}-${size}-${language}.png`), animations: 'disabled' });
        // Roles and contrasts are the same in all languages; those of German stand for all.
        const found = [
          ...(language === 'de' ? await findings(page) : []),
          ...(await cutOff(page)),
          ...(await englishOn(page)),
        ];
        problems.push(...found.map((finding) => `${name} on a ${size}: ${finding}`));
      });
      assert.deepEqual(problems, []);
    }

    if (runsPart('fast'))
      test('German fits on a phone, on every page, and breaks no word', () => walkIn('de', 'phone'));
    if (runsPart('slow'))
      for (const language of LANGUAGES.filter((one) => one !== 'en')) {
        // Where a phone has room for it, a laptop has too.
        const size = language === 'de' ? 'laptop' : 'phone';
        test(`${language} fits on a ${size}, on every page, and breaks no word`, () => walkIn(language, size));
      }
  },
  ALLOWS_LOCAL,
);
