import type { Page } from 'playwright-core';

/** Until the page shows what it has: no part of it is loading, and it stands still for a moment. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main, form').first().waitFor();
  await page.waitForFunction(() => {
    const isLoading = document.querySelector('[role=status][aria-label=Loading]') !== null;
    const text = document.body.innerText;
    const state = window as unknown as { seenText?: string; seenAt?: number };
    if (isLoading || state.seenText !== text) Object.assign(state, { seenText: text, seenAt: performance.now() });
    return !isLoading && text.trim() !== '' && performance.now() - state.seenAt! > 400;
  });
}

/** Goes on to another address as a link of the page would, without loading everything anew. */
export async function goOn(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    Object.assign(window, { seenText: undefined, seenAt: performance.now() });
    history.pushState(null, '', to);
  }, path);
  await settled(page);
}
