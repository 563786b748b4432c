import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Api } from './trackway.ts';

/** The figures of one measurement of the console's map. */
export interface PageFigures {
  readonly framesPerSecond: number;
  /** The longest task of the main thread during the measurement. */
  readonly longestTaskMs: number;
  /** The longest one before it, while the page loaded. */
  readonly longestLoadingMs: number;
  /** How much of the time the main thread worked, by its processor time: what else runs on the machine is not in it. */
  readonly busyShare: number;
  /** From the navigation until the search field of the map accepts input. */
  readonly interactiveMs: number;
}

const SETTLE_MS = 6000;
const WATCH_MS = 8000;

/** Opens the map in a browser with an empty cache, lets it settle, and counts its frames. */
export const watchFrames = (browser: Browser, viewer: Api): Promise<PageFigures> =>
  onMap(browser, viewer, async (page) => {
    await page.waitForTimeout(SETTLE_MS);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const [busyBefore, startedAt] = [await taskSeconds(session), performance.now()];
    const seen = await page.evaluate(async (forMs) => {
      const progress = window as unknown as Progress;
      const before = progress.taskMs.length;
      const startedAt = performance.now();
      let frames = 0;
      await new Promise<void>((done) => {
        const next = () => {
          frames++;
          if (performance.now() - startedAt < forMs) requestAnimationFrame(next);
          else done();
        };
        requestAnimationFrame(next);
      });
      const seconds = (performance.now() - startedAt) / 1000;
      return {
        framesPerSecond: frames / seconds,
        longestTaskMs: Math.max(0, ...progress.taskMs.slice(before)),
        longestLoadingMs: Math.max(0, ...progress.taskMs.slice(0, before)),
        interactiveMs: progress.interactiveMs!,
      };
    }, WATCH_MS);
    const seconds = (performance.now() - startedAt) / 1000;
    return { ...seen, busyShare: ((await taskSeconds(session)) - busyBefore) / seconds };
  });

/** The processor time of all tasks of the main thread so far. */
async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value;
}

/** From the navigation until the search field of the map accepts input, in a browser with an empty cache. */
export const timeToInteractive = (browser: Browser, viewer: Api): Promise<number> =>
  onMap(browser, viewer, (page) => page.evaluate(() => (window as unknown as Progress).interactiveMs!));

/** `before` sees the page before it goes anywhere. */
export async function onMap<T>(
  browser: Browser,
  { address, who }: Api,
  look: (page: Page) => Promise<T>,
  before: (page: Page) => void = () => {},
): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const answer = await context.request.post(`${address}/session`, {
      data: { username: who.email, password: who.password },
    });
    if (!answer.ok()) throw new Error(`${answer.status()} /session: ${await answer.text()}`);
    await context.addInitScript(noteProgress);
    const page = await context.newPage();
    before(page);
    await page.goto(address);
    await page.waitForFunction(() => (window as unknown as Progress).interactiveMs !== undefined);
    return await look(page);
  } finally {
    await context.close();
  }
}

interface Progress {
  taskMs: number[];
  interactiveMs?: number;
}

/** Runs in the page before its own scripts. */
function noteProgress(): void {
  const progress = window as unknown as Progress;
  progress.taskMs = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) progress.taskMs.push(duration);
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    if (document.querySelector('main input') && document.querySelector('canvas')) {
      // In a separate task: when it runs, the page could have handled a key.
      setTimeout(() => {
        progress.interactiveMs = performance.now();
      });
    } else requestAnimationFrame(look);
  };
  look();
}
