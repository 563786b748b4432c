import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Locator } from 'playwright-core';

/** Generous, since only a test that fails waits for so long: a machine may have ten times as much to do as usual. */
export const PATIENCE_MS = 180_000;
const LOOK_MS = 50;

/** Looks again and again until something is so. */
export async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const ends = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    assert.ok(Date.now() < ends, `waited in vain until ${what}`);
    await pause(LOOK_MS);
  }
}

/** Until a page has as many of something. */
export const assertCount = (locator: Locator, count: number) =>
  until(async () => (await locator.count()) === count, `there are ${count} of ${locator}`);
