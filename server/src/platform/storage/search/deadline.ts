import { OutOfTime, TooSlow } from './messages.ts';

/** A search that uses little CPU time may take this many times its limit: its thread waits for a busy machine. */
export const SLOWEST = 5;

/** Limits the CPU time of a search, which is the same on an idle machine and on a busy one. */
export class Deadline {
  readonly #limitMs: number;
  readonly #slowest: number;
  #usedBefore = process.threadCpuUsage();
  #slowAt = 0;
  #lookAt = 0;

  constructor(limitMs: number, slowest = SLOWEST) {
    this.#limitMs = limitMs;
    this.#slowest = slowest;
  }

  restart(): void {
    const now = performance.now();
    this.#usedBefore = process.threadCpuUsage();
    this.#lookAt = now + this.#limitMs;
    this.#slowAt = now + this.#limitMs * this.#slowest;
  }

  /** Throws when the time is over. Called for many rows: CPU time takes longer to read than the clock. */
  check(): void {
    const now = performance.now();
    if (now <= this.#lookAt) return;
    const { user, system } = process.threadCpuUsage(this.#usedBefore);
    const leftMs = this.#limitMs - (user + system) / 1000;
    if (leftMs <= 0) throw new OutOfTime('The search was not done by its deadline.');
    if (now > this.#slowAt) throw new TooSlow('The machine is too slow for the search.');
    this.#lookAt = now + leftMs;
  }
}
