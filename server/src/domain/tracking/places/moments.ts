import { PLACE_EVERY_MS } from '../state/place-due.ts';

/**
 * For which moments a tag gets a position besides those it has: each hearing has one soon after it, and positions are not
 * nearer to each other than need be. A moment comes right after the last hearing that it stands for.
 * @param heard when it was heard, in order
 * @param known moments for which it has a position, in order
 * @param within only what was heard in this time is looked at: at or after the one, before the other
 */
export function newMoments(
  heard: readonly number[],
  known: readonly number[],
  within: { readonly from: number; readonly to: number },
): number[] {
  const moments: number[] = [];
  let covered = Number.NEGATIVE_INFINITY;
  for (const at of heard) {
    if (at < within.from || at < covered) continue;
    if (at >= within.to) break;
    const next = known.find((moment) => moment > at);
    if (next !== undefined && next <= at + PLACE_EVERY_MS) continue;
    const end = at + PLACE_EVERY_MS;
    const last = heard.findLast((other) => other < end) ?? at;
    covered = last + 1;
    moments.push(covered);
  }
  return moments;
}
