import { setTimeout as pause } from 'node:timers/promises';

/** Only what never happens takes this long, however busy the machine is. */
const PATIENCE_MS = 10 * 60_000;
const LOOK_MS = 20;

/** Looks again and again until it is so, and answers what was seen then. */
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
