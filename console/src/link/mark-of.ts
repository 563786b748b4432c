import type { MarkState } from '../map/track/track-pictures.ts';

/** Younger than this, a position is where it is now. */
export const LIVE_MS = 2 * 60_000;
export const STILL_KMH = 2;
/** As in the console, where its user chose nothing else. */
const OFFLINE_MS = 15 * 60_000;

/** The colour of a mark: by the words that the page says of it. Without a speed, what is live is taken as moving. */
export function markOf({ timestamp, speed }: { timestamp: string; speed: number | null }, now: number): MarkState {
  const ageMs = now - Date.parse(timestamp);
  if (ageMs > OFFLINE_MS) return 'offline';
  return ageMs < LIVE_MS && (speed === null || speed >= STILL_KMH) ? 'moving' : 'stopped';
}
