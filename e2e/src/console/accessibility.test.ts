import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { runsPart } from '../../../server/src/testing/databases.ts';
import { findings } from './axe.ts';
import { cutOff } from './cut-off.ts';
import { ALLOWS_LOCAL, DEVICE_SHEETS, type Furnished, furnish } from './furnish.ts';
import { assertFits, inBrowser, type Size, type Theme } from './harness.ts';
import { openAll } from './open-all.ts';
import { goOn, settled } from './settled.ts';
import { shifts } from './shifts.ts';
import { walk } from './walk.ts';

/** The pictures are kept for people to look at. */
const PICTURES = join(import.meta.dirname, '../../pictures');
/** Both sizes and both themes; each size in the other theme is slow. */
const LOOKS: readonly (readonly [Size, Theme])[] = [
  ...(runsPart('fast')
    ? ([
        ['laptop', 'light'],
        ['phone', 'dark'],
      ] as const)
    : []),
  ...(runsPart('slow')
    ? ([
        ['laptop', 'dark'],
        ['phone', 'light'],
      ] as const)
    : []),
];
/** Software WebGL and pictures take as long as all else: `npm run test:slow` has them. */
const drawsMaps = runsPart('slow');
/** They redirect: a link of a message to the map, former addresses to alerts. */
const LEADS_ON = ['/map', '/notifications/triggers/*?', '/notifications/rules/*?'];
const DOORS = [
  ['sign-in', '/sign-in'],
  ['set-up', '/setup#a-token'],
  ['forgot', '/forgot'],
  ['reset', '/reset#a-token'],
  ['confirm', '/confirm#a-token'],
  ['invitation', '/invitation#a-token'],
  ['mail-answer', '/mail#a-token'],
  ['mail-reports', '/mail/reports#a-token'],
  ['track', '/track#key=a-key&name=Anna'],
] as const;

inBrowser(
  'Every page of the console',
  (bed) => {
    let furnished: Furnished;
    before(async () => {
      if (drawsMaps) {
        mkdirSync(PICTURES, { recursive: true });
        console.error(`Pictures of every page: ${PICTURES}`);
      }
      furnished = await furnish(bed, (name) => name);
    });
    after(() => furnished?.end());

    test('is walked: each address of the console, and each sheet of a device', () => {
      const read = (file: string) => readFileSync(join(import.meta.dirname, '../../../console/src', file), 'utf8');
      const patterns = [...`${read('doors.ts')}${read('routes.ts')}`.matchAll(/path: '([^']+)'/g)].map(
        ([, path]) => path!,
      );
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

    test('can be used by everyone, on a laptop and on a phone, in both themes, and cuts no text off; what opens lies on top, and titles and tabs stay in place while they load', async (context) => {
      const problems: string[] = [];
      const opened = { laptop: 0, phone: 0 };
      const examine = async (page: Page, [size, theme]: (typeof LOOKS)[number], name: string) => {
        await assertFits(page);
        if (drawsMaps)
          await page.screenshot({ path: join(PICTURES, `${name}-${size}-${theme}.png`), animations: 'disabled' });
        const found = [...(await findings(page)), ...(await cutOff(page))];
        problems.push(...found.map((finding) => `${name} on a ${size}, ${theme}: ${finding}`));
      };
      const walkIn = async ([size, theme]: (typeof LOOKS)[number]) => {
        await bed.visit('/sign-in', { size, theme, drawsMaps }, async (page) => {
          await settled(page);
          for (const [name, path] of DOORS) {
            await goOn(page, path);
            await examine(page, [size, theme], name);
          }
        });
        const watched = new WeakSet<Page>();
        await walk(bed, { size, theme, drawsMaps }, furnished.pages, async (page, name) => {
          if (!watched.has(page)) page.on('request', (request) => noteAsked(request.url()));
          watched.add(page);
          problems.push(...(await shifts(page)).map((shift) => `${name} on a ${size}, ${theme}: ${shift}`));
          await examine(page, [size, theme], name);
          const found = await openAll(page);
          opened[size] += found.opened;
          problems.push(...found.problems.map((problem) => `${name} on a ${size}, ${theme}: ${problem}`));
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
      // On a phone, the navigation and the filters are dialogs.
      assert.ok(opened.laptop > 100 && opened.phone > 60, `only ${JSON.stringify(opened)} menus and lists were opened`);
      context.diagnostic(`${furnished.pages.length + DOORS.length} pages in ${LOOKS.length} looks`);
      assert.deepEqual(problems, []);
    });
  },
  ALLOWS_LOCAL,
);
