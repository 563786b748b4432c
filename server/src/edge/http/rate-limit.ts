import { ERRORS } from '@trackway/contract/errors.ts';
import { Refusal } from '../../platform/errors.ts';
import { fingerprint } from '../../platform/secrets.ts';

const WINDOW_MS = 60_000;
/** Maximum number of keys counted separately per minute; further keys share one count, to bound memory. */
const MAX_KEYS = 100_000;
const CROWD = '';
/** Share of a limit that all nodes together may use without reporting it. */
const UNTOLD_SHARE = 0.1;
/** Maximum number of keys reported at a time; the others follow. */
const MAX_REPORTED = 1000;

/** The count of a key. */
interface KeyCount {
  readonly key: string;
  readonly count: number;
}

/** A limit whose counts are exchanged between nodes. */
interface SharedCounts {
  untold(nodes: number, now: number): readonly KeyCount[];
  reported(news: readonly KeyCount[], minute: number): void;
  setTotals(totals: readonly KeyCount[], minute: number): void;
}

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds when the next minute begins and the count is reset. */
  readonly reset: number;
}

/**
 * Limits requests per minute for each key. All counts are reset when the minute ends. Nodes that share a database
 * exchange their counts, so that a limit applies to all of them together.
 */
export class RateLimit implements SharedCounts {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  /** Counts of other nodes, and how much of our own counts they know. */
  readonly #ofOthers = new Map<string, number>();
  readonly #reported = new Map<string, number>();
  #window = 0;

  /** A limit of 0 means no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The remaining allowance, without counting a request. */
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
   * Counts to report to other nodes: keys that used this node's share of the tenth of the limit that may stay
   * unreported.
   * @param nodes number of nodes
   */
  untold(nodes: number, now: number): readonly KeyCount[] {
    if (Math.floor(now / WINDOW_MS) !== this.#window || this.#limit === 0) return [];
    const least = Math.max(1, Math.ceil((this.#limit * UNTOLD_SHARE) / nodes));
    const news: KeyCount[] = [];
    for (const [key, count] of this.#counts) {
      const more = count - (this.#reported.get(key) ?? 0);
      if (more >= least && news.length < MAX_REPORTED) news.push({ key, count: more });
    }
    return news;
  }

  /** Marks these counts as known to the other nodes. */
  reported(news: readonly KeyCount[], minute: number): void {
    if (minute !== this.#window) return;
    for (const { key, count } of news) this.#reported.set(key, (this.#reported.get(key) ?? 0) + count);
  }

  /** Sets the totals of a minute over all nodes, including this one. */
  setTotals(totals: readonly KeyCount[], minute: number): void {
    this.#turnTo(Math.max(minute, this.#window));
    if (minute !== this.#window) return;
    for (const { key, count } of totals) {
      const others = count - (this.#reported.get(key) ?? 0);
      if (others > 0 && (this.#ofOthers.size < MAX_KEYS || this.#ofOthers.has(key))) this.#ofOthers.set(key, others);
    }
  }

  #used(key: string): number {
    return (this.#counts.get(key) ?? 0) + (this.#ofOthers.get(key) ?? 0);
  }

  #turnTo(window: number): void {
    if (window === this.#window) return;
    this.#window = window;
    for (const counts of [this.#counts, this.#ofOthers, this.#reported]) counts.clear();
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

/** Number of accepted credentials remembered with their address: at least this many, at most twice as many. */
const MOST_GOOD = 50_000;

/**
 * Limits the failures of an address per minute: unknown keys, identifiers and paths. Beyond the limit its requests are
 * rejected, except with a credential that was valid from this address before, so that one misconfigured device does not
 * block the others behind the same address.
 */
export class FailureLimit {
  readonly #failures: RateLimit;
  readonly #isOff: boolean;
  #good = new Set<string>();
  #goodBefore = new Set<string>();

  /** A limit of 0 means no limit. */
  constructor(limit: number) {
    this.#failures = new RateLimit(limit);
    this.#isOff = limit === 0;
  }

  /** The counts that are exchanged with other nodes. */
  get counts(): SharedCounts {
    return this.#failures;
  }

  isOver(address: string, now: number): boolean {
    return !this.#isOff && this.#failures.peek(address, now).remaining <= 0;
  }

  /** Whether an address has exceeded the limit. */
  isRefused(address: string, now: number, credential?: string): boolean {
    return this.isOver(address, now) && !(credential !== undefined && this.#isGood(address, credential));
  }

  /** Rejects an address that has exceeded the limit. */
  check(address: string, now: number, credential?: string): void {
    if (!this.isRefused(address, now, credential)) return;
    const { limit, reset } = this.#failures.peek(address, now);
    refuseOverdrawn({ limit, remaining: -1, reset }, now);
  }

  failed(address: string, now: number): void {
    if (!this.#isOff) this.#failures.count(address, now);
  }

  succeeded(address: string, credential: string): void {
    if (this.#isOff) return;
    const key = keyOf(address, credential);
    if (this.#good.has(key)) return;
    if (this.#good.size >= MOST_GOOD) {
      this.#goodBefore = this.#good;
      this.#good = new Set();
    }
    this.#good.add(key);
  }

  #isGood(address: string, credential: string): boolean {
    const key = keyOf(address, credential);
    return this.#good.has(key) || this.#goodBefore.has(key);
  }
}

/** Long credentials are shortened to bound memory. */
const keyOf = (address: string, credential: string) =>
  `${address} ${credential.length > 128 ? fingerprint(credential) : credential}`;
