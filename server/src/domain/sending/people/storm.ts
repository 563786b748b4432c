/** A person gets at most this many messages a minute on one channel; the rest comes in a digest. */
export const MAX_A_MINUTE = 10;
export const STORM_MS = 60_000;
export const STORM_REASON = 'Many notifications at once: will be sent with the others at the end of the minute';

/** Until when one more message has to wait, given how many were sent within the last minute; undefined if not at all. */
export function stormUntil(sentLately: number, now: number): number | undefined {
  return sentLately < MAX_A_MINUTE ? undefined : (Math.floor(now / STORM_MS) + 1) * STORM_MS;
}
