import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { findings } from './axe.ts';
import { cutOff } from './cut-off.ts';
import { ALLOWS_LOCAL, DEVICE_SHEETS, type Furnished, furnish } from './furnish.ts';
import { assertFits, inBrowser, type Size, type Theme } from './harness.ts';
import { settled } from './settled.ts';
import { walk } from './walk.ts';

/** The pictures are kept for people to look at. */
const PICTURES = join(import.meta.dirname, '../../pictures');
/** Both sizes and both themes. `TRACKWAY_TEST_LOOKS=all` adds each size in the other theme, which takes twice as long. */
const LOOKS: readonly (readonly [Size, Theme])[] = [
  ['laptop', 'light'],
  ['phone', 'dark'],
  ...(process.env.TRACKWAY_TEST_LOOKS === 'all'
    ? ([
        ['laptop', 'dark'],
        ['phone', 'light'],
      ] as const)
    : []),
];
/** A link of a message: it goes on to the map. */
const LEADS_ON = ['/map'];
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

    test('is walked: each address of the console, and each sheet of a device', () => {
      const read = (file: string) => readFileSync(join(import.meta.dirname, '../../../console/src', file), 'utf8');
      const patterns = [...read('routes.ts').matchAll(/path: '([^']+)'/g)].map(([, path]) => path!);
      const sheets = [...read('pages/device/sheets.ts').matchAll(/key: '(\w+)'/g)].map(([, key]) => key!);
      assert.ok(patterns.length > 20 && sheets.length > 10, 'both lists were read');
      const walked = [...DOORS, ...furnished.pages].map(([, path]) => path.replace(/[?#].*$/, ''));
      const covers = (pattern: string) => {
        // The first that fits wins, so an optional part is walked with and without.
        const exact = new RegExp(`^${pattern.replaceAll(/\/:\w+\?/g, '(/[^/]+)?').replaceAll(/:\w+/g, '[^/]+')}$`);
        return walked.some((path) => exact.test(path));
      };
      assert.deepEqual(
        patterns.filter((pattern) => !covers(pattern) && !LEADS_ON.includes(pattern)),
        [],
      );
      assert.deepEqual([...DEVICE_SHEETS, 'overview'].sort(), sheets.sort());
    });

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
        const watched = new WeakSet<Page>();
        await walk(bed, { size, theme }, furnished.pages, async (page, name) => {
          if (!watched.has(page)) page.on('request', (request) => noteAsked(request.url()));
          watched.add(page);
          await examine(page, [size, theme], name);
        });
      };
      /** Lists that may be long are asked for the fields that are shown. */
      const noteAsked = (url: string) => {
        const { pathname, searchParams } = new URL(url);
        if (!/\/(points|readings|gatewayReadings)$/.test(pathname)) return;
        if (!searchParams.get('filter')?.includes('"fields"')) problems.push(`all fields are asked for: ${url}`);
        asked.add(pathname.split('/').at(-1)!);
      };
      const asked = new Set<string>();
      for (let first = 0; first < LOOKS.length; first += 2)
        await Promise.all(LOOKS.slice(first, first + 2).map(walkIn));
      assert.deepEqual([...asked].sort(), ['gatewayReadings', 'points', 'readings'], 'such lists were asked for');
      context.diagnostic(`${furnished.pages.length + DOORS.length} pages in ${LOOKS.length} looks`);
      assert.deepEqual(problems, []);
    });
  },
  ALLOWS_LOCAL,
);
