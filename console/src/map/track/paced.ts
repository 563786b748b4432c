import { distanceM } from '../../geo/place.ts';
import { type Fix, GAP_MS } from './playback.ts';

/** The distance between two positions gives a speed once it exceeds their errors. */
const FAR_M = 50;
/** For slower movements, this duration is sufficient as well. */
const LONG_MS = 60_000;
/** A higher speed is probably an error of a position. */
const MOST_KMH = 350;

/** Adds speeds from distance and time to fixes without a reported one. The fixes are in order of time. */
export function paced(fixes: readonly Fix[]): Fix[] {
  return fixes.map((fix, index) => (fix.speedKmh === null ? { ...fix, speedKmh: paceKmh(fixes, index) } : fix));
}

/** Null if it cannot be determined. */
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
