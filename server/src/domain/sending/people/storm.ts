/** A person is told so many things a minute on one channel; the rest comes together. */
export const MOST_A_MINUTE = 10;
export const STORM_MS = 60_000;

/** Until when one more has to wait, where so many were sent within the last minute; undefined where it may go. */
export function stormUntil(sentLately: number, now: number): number | undefined {
  return sentLately < MOST_A_MINUTE ? undefined : (Math.floor(now / STORM_MS) + 1) * STORM_MS;
}
