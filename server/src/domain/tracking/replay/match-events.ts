/** Which events of a replay are the same as before: per trigger and zone, by order and nearest time. */

export interface Comparable {
  readonly key: string;
  readonly kind: string;
  readonly at: number;
}

export interface MatchedEvents<Old, New> {
  readonly same: readonly { readonly old: Old; readonly new: New }[];
  /** Only what has no partner is new, or gone. */
  readonly added: readonly New[];
  readonly gone: readonly Old[];
}

/** Past this the sequences are too long to weigh every pairing; then those nearest in time are paired. */
const MAX_CELLS = 250_000;
/** An event that moved by more than this is another one. */
const APART_MS = 24 * 3_600_000;

export function matchEvents<Old extends Comparable, New extends Comparable>(
  olds: readonly Old[],
  news: readonly New[],
): MatchedEvents<Old, New> {
  const same: { old: Old; new: New }[] = [];
  const added: New[] = [];
  const gone: Old[] = [];
  const left = grouped(olds);
  for (const [key, sequence] of grouped(news)) {
    const before = left.get(key) ?? [];
    left.delete(key);
    pair(before, sequence, same, added, gone);
  }
  for (const rest of left.values()) gone.push(...rest);
  return { same, added, gone };
}

function grouped<T extends Comparable>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.key);
    if (group) group.push(item);
    else groups.set(item.key, [item]);
  }
  for (const group of groups.values()) group.sort((a, b) => a.at - b.at);
  return groups;
}

function pair<Old extends Comparable, New extends Comparable>(
  olds: Old[],
  news: New[],
  same: { old: Old; new: New }[],
  added: New[],
  gone: Old[],
): void {
  // Most of a replay comes out as it was; only what lies between unchanged ends is weighed.
  let start = 0;
  while (start < olds.length && start < news.length && isSame(olds[start]!, news[start]!)) start++;
  let end = 0;
  while (end < olds.length - start && end < news.length - start && isSame(olds.at(-1 - end)!, news.at(-1 - end)!))
    end++;
  for (let index = 0; index < start; index++) same.push({ old: olds[index]!, new: news[index]! });
  const [before, after] = [olds.slice(start, olds.length - end), news.slice(start, news.length - end)];
  if (before.length * after.length <= MAX_CELLS) weigh(before, after, same, added, gone);
  else nearest(before, after, same, added, gone);
  for (let index = end; index > 0; index--) same.push({ old: olds.at(-index)!, new: news.at(-index)! });
}

const isSame = (a: Comparable, b: Comparable) => a.kind === b.kind && a.at === b.at;
const mayPair = (a: Comparable, b: Comparable) => a.kind === b.kind && Math.abs(a.at - b.at) <= APART_MS;

/** The pairing in order with the most pairs, and of those the one that moves events least. */
function weigh<Old extends Comparable, New extends Comparable>(
  olds: Old[],
  news: New[],
  same: { old: Old; new: New }[],
  added: New[],
  gone: Old[],
): void {
  const width = news.length + 1;
  const best = new Float64Array((olds.length + 1) * width);
  for (let i = olds.length - 1; i >= 0; i--) {
    for (let j = news.length - 1; j >= 0; j--) {
      const skip = Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
      const [old, later] = [olds[i]!, news[j]!];
      const worth = mayPair(old, later)
        ? 2 - Math.abs(old.at - later.at) / APART_MS + best[(i + 1) * width + j + 1]!
        : 0;
      best[i * width + j] = Math.max(skip, worth);
    }
  }
  let [i, j] = [0, 0];
  while (i < olds.length && j < news.length) {
    const here = best[i * width + j]!;
    if (here === best[(i + 1) * width + j]!) gone.push(olds[i++]!);
    else if (here === best[i * width + j + 1]!) added.push(news[j++]!);
    else same.push({ old: olds[i++]!, new: news[j++]! });
  }
  gone.push(...olds.slice(i));
  added.push(...news.slice(j));
}

function nearest<Old extends Comparable, New extends Comparable>(
  olds: Old[],
  news: New[],
  same: { old: Old; new: New }[],
  added: New[],
  gone: Old[],
): void {
  let i = 0;
  for (const later of news) {
    while (i < olds.length && olds[i]!.at < later.at && !mayPair(olds[i]!, later)) gone.push(olds[i++]!);
    if (i < olds.length && mayPair(olds[i]!, later)) same.push({ old: olds[i++]!, new: later });
    else added.push(later);
  }
  gone.push(...olds.slice(i));
}
