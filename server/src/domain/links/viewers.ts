import { LINK_PACE_S, MOST_VIEWERS } from '@trackway/contract/resources/link.ts';

/** Whoever has not asked for so long looks no more: a few questions may get lost. */
const GONE_MS = 4 * LINK_PACE_S * 1000;
/** No more links are remembered; those that nobody looks at any more make room. */
const MOST_LINKS_SEEN = 10_000;

/** Who looks at which link now. What is remembered is bounded, whatever is asked. */
export class Viewers {
  /** By link: when each of them last asked, in that order. */
  readonly #seen = new Map<number, Map<string, number>>();

  /** Notes that somebody looks. False where too many others do. */
  note(linkId: number, viewing: string, now: number): boolean {
    const viewers = this.#viewersOf(linkId, now);
    if (viewers === undefined) return false;
    for (const [one, at] of viewers) {
      if (at > now - GONE_MS) break;
      viewers.delete(one);
    }
    if (!viewers.has(viewing) && viewers.size >= MOST_VIEWERS) return false;
    viewers.delete(viewing);
    viewers.set(viewing, now);
    return true;
  }

  #viewersOf(linkId: number, now: number): Map<string, number> | undefined {
    const known = this.#seen.get(linkId);
    if (known !== undefined) return known;
    if (this.#seen.size >= MOST_LINKS_SEEN) this.#forget(now);
    if (this.#seen.size >= MOST_LINKS_SEEN) return undefined;
    const viewers = new Map<string, number>();
    this.#seen.set(linkId, viewers);
    return viewers;
  }

  #forget(now: number): void {
    for (const [linkId, viewers] of this.#seen) {
      const last = [...viewers.values()].at(-1) ?? 0;
      if (last <= now - GONE_MS) this.#seen.delete(linkId);
    }
  }
}
