import { setTimeout as pause } from 'node:timers/promises';

/** Only a condition that never becomes true takes this long, even on a busy machine. A file may take longer. */
const PATIENCE_MS = 3 * 60_000;
const LOOK_MS = 20;

/** Polls until the condition is true, and returns the value seen then. */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  isSo: (seen: T) => boolean = Boolean,
): Promise<T> {
  const givenUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > givenUpAt)
      throw new Error(`Waited in vain: ${what}; last seen: ${JSON.stringify(seen)?.slice(0, 2000)}`);
    await pause(LOOK_MS);
  }
}
