import type { Spells } from './profile.ts';
import type { Random } from './random.ts';

const DAY_MS = 86_400_000;

/** Determines for ascending times whether they are within one of the random periods. */
export class SpellClock {
  readonly #spells: Spells;
  readonly #random: Random;
  #from: number;
  #until: number;

  constructor(spells: Spells, random: Random, start: number) {
    this.#spells = spells;
    this.#random = random;
    this.#until = start;
    this.#from = start;
    this.#next();
  }

  holds(at: number): boolean {
    while (at >= this.#until) this.#next();
    return at >= this.#from;
  }

  #next(): void {
    const { perDay, meanMin, mostMin } = this.#spells;
    if (perDay <= 0) {
      this.#from = this.#until = Number.POSITIVE_INFINITY;
      return;
    }
    this.#from = this.#until + this.#random.exponential(DAY_MS / perDay);
    this.#until = this.#from + 1 + 60_000 * Math.min(mostMin, this.#random.exponential(meanMin));
  }
}
