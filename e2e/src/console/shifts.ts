import type { Page } from 'playwright-core';

declare global {
  interface Window {
    /** Where titles and tabs of this address were seen, frame by frame. */
    placesSeen: { title: Set<string>; tabs: Set<string> };
  }
}

/** Notes from now on where the title and the tabs of each address are while it is loaded. */
export const watchShifts = (page: Page) =>
  page.evaluate(() => {
    let address = '';
    /** Elements of the previous page, which may be shown for another frame. */
    let left: (Element | null)[] = [];
    /** The place on the page, wherever it is scrolled to. */
    const placeOf = (element: Element) => {
      const { x, y } = element.getBoundingClientRect();
      let top = y;
      for (let box: Element | null = element; box; box = box.parentElement) top += box.scrollTop;
      return [Math.round(x), Math.round(top)].join();
    };
    /** A page that is still loaded may be there and not be shown. */
    const seen = (selector: string) => {
      const found = document.querySelector(selector);
      return found?.checkVisibility() ? found : null;
    };
    const note = () => {
      const [title, tabs] = [seen('h1'), seen('[role=tablist]')];
      if (location.href !== address) {
        address = location.href;
        left = [title, tabs];
        window.placesSeen = { title: new Set(), tabs: new Set() };
      }
      const { placesSeen } = window;
      if (title?.textContent && !left.includes(title)) placesSeen.title.add(placeOf(title));
      if (tabs && !left.includes(tabs)) placesSeen.tabs.add(`${placeOf(tabs)}: ${tabs.textContent}`);
      requestAnimationFrame(note);
    };
    note();
  });

/** What of this page did not stay in its place while it was loaded, in a line each. */
export const shifts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    Object.entries(window.placesSeen)
      .filter(([, places]) => places.size > 1)
      .map(([what, places]) => `the ${what} shifted: ${[...places].join(' → ')}`),
  );
