import type { Page } from 'playwright-core';
import type { Furnished } from './furnish.ts';
import type { Bed, VisitOptions } from './harness.ts';
import { goOn, settled } from './settled.ts';
import { watchShifts } from './shifts.ts';

/** The number of browser tabs that walk at the same time. */
const TABS = 2;

/** Opens every page, signed in once, and looks at each when it shows all that it has. */
export async function walk(
  bed: Bed,
  options: VisitOptions,
  pages: Furnished['pages'],
  look: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const left = [...pages];
  const go = async (page: Page) => {
    await settled(page);
    await watchShifts(page);
    for (let next = left.shift(); next; next = left.shift()) {
      const [name, path] = next;
      await goOn(page, path);
      await look(page, name);
    }
  };
  await bed.visit('/devices', { ...options, as: bed.admin }, async (first) => {
    const another = async () => {
      const page = await first.context().newPage();
      await page.goto(first.url());
      await go(page);
    };
    await Promise.all([go(first), ...Array.from({ length: TABS - 1 }, another)]);
  });
}
