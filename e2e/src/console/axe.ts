import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

let script: Promise<string> | undefined;

/**
 * What axe finds serious or critical, in a line each.
 * @param alsoBy further sets of rules
 */
export async function findings(page: Page, alsoBy: readonly string[] = []): Promise<string[]> {
  script ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // As a debugger would: the page's own policy lets no such script in.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await script);
  // In the middle of a transition colours are those of neither end.
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
  const results = await page.evaluate((options) => {
    const { axe: tool } = window as unknown as { axe: { run(on: Document, options: RunOptions): Promise<AxeResults> } };
    return tool.run(document, options);
  }, optionsOf(alsoBy));
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => {
      const where = nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ''}`);
      return `${id} (${help}): ${nodes.length}× ${where.join(' | ')}`;
    });
}

const optionsOf = (alsoBy: readonly string[]): RunOptions => ({
  resultTypes: ['violations'],
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice', ...alsoBy],
});
