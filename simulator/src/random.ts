/** Reproducible randomness: everything follows from a seed, nothing from the clock or `Math.random`. */

const mixed = (word: number): number => {
  let h = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

/** A 32-bit hash of the numbers. */
export const hash = (a: number, b = 0, c = 0, d = 0): number =>
  mixed(mixed(mixed(mixed(a + 0x9e3779b9) + b + 0x7f4a7c15) + c + 0x165667b1) + d + 0x27d4eb2f);

/** The same hash, scaled to 0 ≤ x < 1. */
export const shareOf = (a: number, b = 0, c = 0, d = 0): number => hash(a, b, c, d) / 4294967296;

/** Turns any text into a seed, so that a fleet can be named. */
export function seedOf(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mixed(h);
}

/** A random number generator with four bytes of state (mulberry32), small enough for one per device. */
export class Random {
  #state: number;
  /** The second number of a generated pair of Gaussian numbers. NaN if there is none. */
  #spare = Number.NaN;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 ≤ x < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.next();
  }

  /** An integer, 0 ≤ x < count. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(share: number): boolean {
    return share > 0 && this.next() < share;
  }

  /** A Gaussian number with mean 0 and variance 1 (Marsaglia's polar method). */
  gaussian(): number {
    if (!Number.isNaN(this.#spare)) {
      const spare = this.#spare;
      this.#spare = Number.NaN;
      return spare;
    }
    for (;;) {
      const u = 2 * this.next() - 1;
      const v = 2 * this.next() - 1;
      const square = u * u + v * v;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spare = v * factor;
      return u * factor;
    }
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  shuffle<T>(list: T[]): T[] {
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [list[i], list[j]] = [list[j]!, list[i]!];
    }
    return list;
  }
}
