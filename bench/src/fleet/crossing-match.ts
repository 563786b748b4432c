/** Matches events with true crossings, each with at most one. */

export interface Said {
  readonly kind: 'entry' | 'exit';
  readonly at: number;
  /** The time of the fix that decided it. */
  readonly knownAt: number;
  /** Interpolated between two fixes on the same side of the edge. */
  readonly isInterpolated?: boolean;
}

/** How long before the crossing an event may come, because of the noise of a slow device near the edge … */
const EARLY_MS = 120_000;
/** … and how many fixes after it, to count as found. */
const LATE_FIXES = 6;

interface Crossing {
  readonly kind: string;
  readonly at: number;
  readonly isClear: boolean;
}

/**
 * Maps crossings to events by index: of all order-preserving matchings the one that explains most, clear crossings
 * before others, and the nearest in time among equals.
 */
export function matched(
  truth: readonly Crossing[],
  said: readonly Said[],
  times: readonly number[],
): Map<number, number> {
  const width = said.length + 1;
  const best = new Float64Array((truth.length + 1) * width);
  const gain = (crossing: number, event: number) => gainOf(truth[crossing]!, said[event]!, times);
  for (let i = 1; i <= truth.length; i += 1) {
    for (let j = 1; j <= said.length; j += 1) {
      const unmatched = Math.max(best[(i - 1) * width + j]!, best[i * width + j - 1]!);
      best[i * width + j] = Math.max(unmatched, best[(i - 1) * width + j - 1]! + gain(i - 1, j - 1));
    }
  }
  const pairs = new Map<number, number>();
  for (let [i, j] = [truth.length, said.length]; i > 0 && j > 0; ) {
    const here = best[i * width + j]!;
    if (here === best[(i - 1) * width + j]) i -= 1;
    else if (here === best[i * width + j - 1]) j -= 1;
    else {
      i -= 1;
      j -= 1;
      pairs.set(i, j);
    }
  }
  return pairs;
}

/** Zero if the event cannot belong to the crossing. */
function gainOf({ kind, at, isClear }: Crossing, event: Said, times: readonly number[]): number {
  if (event.kind !== kind || event.at < at - EARLY_MS || event.knownAt < at - EARLY_MS) return 0;
  if (fixesBetween(times, at, event.knownAt) > LATE_FIXES) return 0;
  return (isClear ? 2 : 1) - Math.min(0.5, Math.abs(event.at - at) / 1e8);
}

/** The index of the first time after a moment. */
function firstAfter(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The number of fixes after one moment and up to another; negative if the other was earlier. */
export function fixesBetween(times: readonly number[], after: number, until: number): number {
  return firstAfter(times, until) - firstAfter(times, after);
}
