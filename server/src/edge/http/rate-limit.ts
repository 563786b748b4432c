import { ERRORS } from '@trackway/contract/errors.ts';
import { Refusal } from '../../platform/errors.ts';

const WINDOW_MS = 60_000;
/** The most keys counted separately in a minute; all later ones share one count, so that memory stays bounded. */
const MAX_KEYS = 100_000;
const CROWD = '';

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds at which the next minute begins and the count is reset. */
  readonly reset: number;
}

/** Allows a number of requests per minute for each key. All counts are reset together when the minute ends. */
export class RateLimit {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  #window = 0;

  /** A limit of 0 means no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What is left, without counting. */
  peek(key: string, now: number): Allowance {
    const window = Math.floor(now / WINDOW_MS);
    const used = window === this.#window ? (this.#counts.get(key) ?? 0) : 0;
    return { limit: this.#limit, remaining: this.#limit - used, reset: ((window + 1) * WINDOW_MS) / 1000 };
  }

  count(key: string, now: number): Allowance {
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.#window) {
      this.#window = window;
      this.#counts.clear();
    }
    const reset = ((window + 1) * WINDOW_MS) / 1000;
    if (this.#limit === 0) return { limit: 0, remaining: 0, reset };
    const counted = this.#counts.size < MAX_KEYS || this.#counts.has(key) ? key : CROWD;
    const used = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, used);
    return { limit: this.#limit, remaining: this.#limit - used, reset };
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
