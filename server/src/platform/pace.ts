const SECONDS = 60;

/** Counts occurrences within the last minute, by second. */
export class Pace {
  readonly #counts = new Array<number>(SECONDS).fill(0);
  /** The second that each count belongs to. */
  readonly #seconds = new Array<number>(SECONDS).fill(-1);

  note(count: number, now: number): void {
    const second = Math.floor(now / 1000);
    const place = second % SECONDS;
    if (this.#seconds[place] !== second) {
      this.#seconds[place] = second;
      this.#counts[place] = 0;
    }
    this.#counts[place]! += count;
  }

  perMinute(now: number): number {
    const since = Math.floor(now / 1000) - SECONDS;
    let total = 0;
    for (let place = 0; place < SECONDS; place++) if (this.#seconds[place]! > since) total += this.#counts[place]!;
    return total;
  }
}
