import { distanceM } from '../../geo/place.ts';
import { type Fix, GAP_MS } from './playback.ts';

/** The way between two places says how fast it was once it is longer than their errors. */
const FAR_M = 50;
/** For something slower, a time tells it as well. */
const LONG_MS = 60_000;
/** A faster one is more often an error of a position than a vehicle. */
const MOST_KMH = 350;

/** The fixes with a speed by way and time, where the device told none. They are in the order of their time. */
export function paced(fixes: readonly Fix[]): Fix[] {
  return fixes.map((fix, index) => (fix.speedKmh === null ? { ...fix, speedKmh: paceKmh(fixes, index) } : fix));
}

/** Null where nothing tells it. */
function paceKmh(fixes: readonly Fix[], index: number): number | null {
  const to = fixes[index]!;
  let kmh: number | null = null;
  for (let before = index - 1; before >= 0; before--) {
    const from = fixes[before]!;
    const ms = to.at - from.at;
    if (fixes[before + 1]!.at - from.at > GAP_MS) break;
    if (ms === 0) continue;
    const metres = distanceM(from, to);
    kmh = (metres / ms) * 3600;
    if (metres >= FAR_M || ms >= LONG_MS) break;
  }
  return kmh !== null && kmh <= MOST_KMH ? kmh : null;
}
