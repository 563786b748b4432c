import type { MarkState } from '../map/track/track-pictures.ts';

/** Maximum age of a current position. */
export const LIVE_MS = 2 * 60_000;
export const STILL_KMH = 2;
/** The console's default. */
const OFFLINE_MS = 15 * 60_000;

/** The colour of a mark, consistent with the text of the page. Without a speed, a current position counts as moving. */
export function markOf({ timestamp, speed }: { timestamp: string; speed: number | null }, now: number): MarkState {
  const ageMs = now - Date.parse(timestamp);
  if (ageMs > OFFLINE_MS) return 'offline';
  return ageMs < LIVE_MS && (speed === null || speed >= STILL_KMH) ? 'moving' : 'stopped';
}
