import { fingerprint } from '../../../platform/secrets.ts';
import { RateLimit, refuseOverdrawn, type SharedCounts } from '../rate-limit.ts';

/** Credentials that are remembered as good at their address, at least; twice as many at most. */
const MOST_GOOD = 50_000;

/**
 * Lets an address fail so often in a minute: keys, identifiers and paths that do not exist. Beyond that it is refused,
 * except with a credential that was right there before, so that one bad device does not cut off the others behind its
 * address.
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

  /** What is exchanged with other nodes. */
  get counts(): SharedCounts {
    return this.#failures;
  }

  isOver(address: string, now: number): boolean {
    return !this.#isOff && this.#failures.peek(address, now).remaining <= 0;
  }

  /** Whether an address has failed too often. */
  isRefused(address: string, now: number, credential?: string): boolean {
    return this.isOver(address, now) && !(credential !== undefined && this.#isGood(address, credential));
  }

  /** Refuses an address that has failed too often. */
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

/** Long ones are shortened, so that memory stays bounded. */
const keyOf = (address: string, credential: string) =>
  `${address} ${credential.length > 128 ? fingerprint(credential) : credential}`;
