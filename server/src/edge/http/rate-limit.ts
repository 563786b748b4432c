import { ERRORS } from '@trackway/contract/errors.ts';
import { Refusal } from '../../platform/errors.ts';

const WINDOW_MS = 60_000;
/** The most keys counted separately in a minute; all later ones share one count, so that memory stays bounded. */
const MAX_KEYS = 100_000;
const CROWD = '';
/** All nodes together may leave this share of a limit untold. */
const UNTOLD_SHARE = 0.1;
/** The most keys that are told at a time; the others follow. */
const MOST_TOLD = 1000;

/** How often a key was counted. */
export interface KeyCount {
  readonly key: string;
  readonly count: number;
}

/** A limit whose counts are exchanged between nodes. */
export interface SharedCounts {
  untold(nodes: number, now: number): readonly KeyCount[];
  told(news: readonly KeyCount[], minute: number): void;
  heard(totals: readonly KeyCount[], minute: number): void;
}

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds at which the next minute begins and the count is reset. */
  readonly reset: number;
}

/**
 * Allows a number of requests per minute for each key. All counts are reset together when the minute ends. Nodes that
 * share a database tell each other what they counted, so that a limit holds for all of them together.
 */
export class RateLimit implements SharedCounts {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  /** What other nodes have counted, and how much of ours they know of. */
  readonly #ofOthers = new Map<string, number>();
  readonly #told = new Map<string, number>();
  #window = 0;

  /** A limit of 0 means no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What is left, without counting. */
  peek(key: string, now: number): Allowance {
    const window = Math.floor(now / WINDOW_MS);
    const used = window === this.#window ? this.#used(key) : 0;
    return { limit: this.#limit, remaining: this.#limit - used, reset: ((window + 1) * WINDOW_MS) / 1000 };
  }

  count(key: string, now: number): Allowance {
    const window = Math.floor(now / WINDOW_MS);
    this.#turnTo(window);
    const reset = ((window + 1) * WINDOW_MS) / 1000;
    if (this.#limit === 0) return { limit: 0, remaining: 0, reset };
    const counted = this.#counts.size < MAX_KEYS || this.#counts.has(key) ? key : CROWD;
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1);
    return { limit: this.#limit, remaining: this.#limit - this.#used(counted), reset };
  }

  /**
   * What others should know: keys that used a share of what all nodes may leave untold, a tenth of the limit.
   * @param nodes how many nodes there are
   */
  untold(nodes: number, now: number): readonly KeyCount[] {
    if (Math.floor(now / WINDOW_MS) !== this.#window || this.#limit === 0) return [];
    const least = Math.max(1, Math.ceil((this.#limit * UNTOLD_SHARE) / nodes));
    const news: KeyCount[] = [];
    for (const [key, count] of this.#counts) {
      const more = count - (this.#told.get(key) ?? 0);
      if (more >= least && news.length < MOST_TOLD) news.push({ key, count: more });
    }
    return news;
  }

  /** These are known to the others from now on. */
  told(news: readonly KeyCount[], minute: number): void {
    if (minute !== this.#window) return;
    for (const { key, count } of news) this.#told.set(key, (this.#told.get(key) ?? 0) + count);
  }

  /** What all nodes told of a minute, this one included. */
  heard(totals: readonly KeyCount[], minute: number): void {
    this.#turnTo(Math.max(minute, this.#window));
    if (minute !== this.#window) return;
    for (const { key, count } of totals) {
      const others = count - (this.#told.get(key) ?? 0);
      if (others > 0 && (this.#ofOthers.size < MAX_KEYS || this.#ofOthers.has(key))) this.#ofOthers.set(key, others);
    }
  }

  #used(key: string): number {
    return (this.#counts.get(key) ?? 0) + (this.#ofOthers.get(key) ?? 0);
  }

  #turnTo(window: number): void {
    if (window === this.#window) return;
    this.#window = window;
    for (const counts of [this.#counts, this.#ofOthers, this.#told]) counts.clear();
  }
}

export function refuseOverdrawn(allowance: Allowance, now: number): void {
  if (allowance.limit === 0 || allowance.remaining >= 0) return;
  const seconds = Math.max(1, Math.ceil(allowance.reset - now / 1000));
  const { status, code, message } = ERRORS.tooManyRequests;
  throw new Refusal(status, message.replace('{seconds}', String(seconds)), {
    code,
    headers: { 'retry-after': String(seconds) },
  });
}
