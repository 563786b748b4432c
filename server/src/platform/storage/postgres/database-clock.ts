import { setTimeout as pause } from 'node:timers/promises';

/** How often it is compared with the database: machines drift by far less than a millisecond in this time. */
const EVERY_MS = 10_000;
/** An answer that took longer is too inaccurate, unless nothing better is known. */
const QUICK_MS = 100;
/** A correction that is smaller never sets it back: it waits until the time has caught up. */
const STEP_MS = 1000;
/** At the start the quickest of a few answers counts. */
const FIRST_TRIES = 3;

/**
 * The clock of the database. Between queries it advances with this machine's monotonic clock, so the wall clock of this
 * machine has no influence.
 */
export class DatabaseClock {
  readonly #ask: () => Promise<number>;
  readonly #monotonic: () => number;
  readonly #stopping = new AbortController();
  /** What to add to the monotonic clock, and by how much that may be wrong. */
  #offset = 0;
  #doubt = Number.POSITIVE_INFINITY;
  #reported = Number.NEGATIVE_INFINITY;

  /** @param ask returns the time of the database */
  constructor(ask: () => Promise<number>, monotonic: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#monotonic = monotonic;
  }

  readonly now = (): number => {
    const time = Math.round(this.#monotonic() + this.#offset);
    if (time < this.#reported && this.#reported - time < STEP_MS) return this.#reported;
    this.#reported = time;
    return time;
  };

  /** Asks the database once. */
  async compare(): Promise<void> {
    const asked = this.#monotonic();
    const time = await this.#ask();
    const answered = this.#monotonic();
    const doubt = (answered - asked) / 2;
    const offset = time - (asked + answered) / 2;
    // One that took long is believed only where it proves that the clock was set.
    const isSet = Math.abs(offset - this.#offset) > doubt + this.#doubt + STEP_MS;
    if (doubt > QUICK_MS / 2 && doubt > this.#doubt && !isSet) return;
    this.#offset = offset;
    this.#doubt = doubt;
  }

  async start(): Promise<void> {
    for (let tries = 0; tries < FIRST_TRIES; tries++) await this.compare();
    this.#go();
  }

  async #go(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await pause(EVERY_MS, undefined, { signal, ref: false });
        await this.compare();
      } catch {
        // A database that does not answer now is asked again.
      }
    }
  }

  stop(): void {
    this.#stopping.abort();
  }
}
