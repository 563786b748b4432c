import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { animationsEnded } from './settled.ts';

let script: Promise<string> | undefined;

/**
 * What axe finds by WCAG 2.2 AA and by good practice, of whatever impact, in a line each.
 * @param except rules that do not count here
 */
export async function findings(page: Page, except: readonly string[] = []): Promise<string[]> {
  script ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // As a debugger would: the page's own policy lets no such script in.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await script);
  await animationsEnded(page);
  const results = await page.evaluate((options) => {
    const { axe: tool } = window as unknown as { axe: { run(on: Document, options: RunOptions): Promise<AxeResults> } };
    return tool.run(document, options);
  }, OPTIONS);
  return results.violations
    .filter(({ id }) => !except.includes(id))
    .map(({ id, help, nodes }) => {
      const where = nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ''}`);
      return `${id} (${help}): ${nodes.length}× ${where.join(' | ')}`;
    });
}

const OPTIONS: RunOptions = {
  resultTypes: ['violations'],
  // No rule among these needs style sheets or media loaded again.
  preload: false,
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
