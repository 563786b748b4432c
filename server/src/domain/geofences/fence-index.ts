import { type Place, vectorOf } from '../../platform/sphere.ts';
import { type Area, chordOfM } from './area.ts';

/**
 * Finds the fences near a place, among any number of them.
 *
 * A bounding volume hierarchy in space: the box of all fences is repeatedly divided into halves with equally many
 * fences, until few are left in each. A search visits the boxes that it touches. Dividing space instead of a map avoids
 * special cases at the antimeridian and the poles. All data is in flat numeric arrays: with 100,000 fences memory
 * access limits the speed, and an object for each would take more memory than its content.
 */
export class FenceIndex {
  /** For each fence, in the order of the boxes: the centre and the chord of its cap, and its index. */
  readonly #caps: Float64Array;
  readonly #numbers: Uint32Array;
  /** For each box the bounds of its fences: low x, y, z, high x, y, z. The halves of box `b` are 2b + 1 and 2b + 2. */
  readonly #reaches: Float64Array;
  readonly #levels: number;

  /** @param caps four numbers for each fence: the centre and the chord of its cap. The array is reordered. */
  constructor(caps: Float64Array) {
    const count = caps.length / CAP;
    this.#caps = caps;
    this.#numbers = Uint32Array.from({ length: count }, (_, number) => number);
    this.#levels = Math.max(0, Math.ceil(Math.log2(count / CROWD)));
    this.#reaches = new Float64Array((2 ** (this.#levels + 1) - 1) * REACH);
    this.#cut(0, 0, count, this.#levels);
  }

  get size(): number {
    return this.#numbers.length;
  }

  /**
   * Calls `meet` with the index of each fence that contains the place or whose edge may be within the radius, and
   * possibly of some more nearby, in any order.
   */
  near(place: Place, radiusM: number, meet: (number: number) => void): void {
    const { x, y, z } = vectorOf(place);
    this.#search(0, 0, this.size, this.#levels, x, y, z, chordOfM(radiusM) + ROUNDING, meet);
  }

  #search(
    box: number,
    from: number,
    to: number,
    levels: number,
    x: number,
    y: number,
    z: number,
    chord: number,
    meet: (number: number) => void,
  ): void {
    let [at, first, end, left] = [box, from, to, levels];
    // Usually only one half is touched: then the search continues there, without recursion.
    while (left > 0) {
      const middle = middleOf(first, end);
      const half = 2 * at + 1;
      left--;
      const one = this.#touches(half, x, y, z, chord);
      const other = this.#touches(half + 1, x, y, z, chord);
      if (one && other) this.#search(half + 1, middle, end, left, x, y, z, chord, meet);
      if (one) {
        at = half;
        end = middle;
      } else if (other) {
        at = half + 1;
        first = middle;
      } else return;
    }
    const caps = this.#caps;
    for (let fence = first; fence < end; fence++) {
      const i = fence * CAP;
      const dx = caps[i]! - x;
      const dy = caps[i + 1]! - y;
      const dz = caps[i + 2]! - z;
      const reach = caps[i + 3]! + chord;
      if (dx * dx + dy * dy + dz * dz <= reach * reach) meet(this.#numbers[fence]!);
    }
  }

  #touches(box: number, x: number, y: number, z: number, chord: number): boolean {
    const reaches = this.#reaches;
    const at = box * REACH;
    if (x < reaches[at]! - chord || x > reaches[at + 3]! + chord) return false;
    if (y < reaches[at + 1]! - chord || y > reaches[at + 4]! + chord) return false;
    return z >= reaches[at + 2]! - chord && z <= reaches[at + 5]! + chord;
  }

  #cut(box: number, from: number, to: number, levels: number): void {
    const reaches = this.#reaches;
    const at = box * REACH;
    if (levels > 0) {
      const middle = middleOf(from, to);
      this.#halve(from, to, middle, this.#longestAxis(from, to));
      this.#cut(2 * box + 1, from, middle, levels - 1);
      this.#cut(2 * box + 2, middle, to, levels - 1);
      const [one, other] = [(2 * box + 1) * REACH, (2 * box + 2) * REACH];
      for (let axis = 0; axis < 3; axis++) {
        reaches[at + axis] = Math.min(reaches[one + axis]!, reaches[other + axis]!);
        reaches[at + axis + 3] = Math.max(reaches[one + axis + 3]!, reaches[other + axis + 3]!);
      }
      return;
    }
    for (let axis = 0; axis < 3; axis++) {
      let [low, high] = [Infinity, -Infinity];
      for (let i = from * CAP; i < to * CAP; i += CAP) {
        low = Math.min(low, this.#caps[i + axis]! - this.#caps[i + 3]!);
        high = Math.max(high, this.#caps[i + axis]! + this.#caps[i + 3]!);
      }
      reaches[at + axis] = low;
      reaches[at + axis + 3] = high;
    }
  }

  /** The axis with the largest extent of the centres. */
  #longestAxis(from: number, to: number): number {
    let [longest, length] = [0, -1];
    for (let axis = 0; axis < 3; axis++) {
      let [low, high] = [Infinity, -Infinity];
      for (let i = from * CAP + axis; i < to * CAP; i += CAP) {
        low = Math.min(low, this.#caps[i]!);
        high = Math.max(high, this.#caps[i]!);
      }
      if (high - low > length) [longest, length] = [axis, high - low];
    }
    return longest;
  }

  /** Reorders a range so that no centre before the middle is beyond one after it (Hoare's selection algorithm). */
  #halve(from: number, to: number, middle: number, axis: number): void {
    const caps = this.#caps;
    let [first, last] = [from, to - 1];
    while (first < last) {
      const pivot = caps[((first + last) >> 1) * CAP + axis]!;
      let [low, high] = [first, last];
      while (low <= high) {
        while (caps[low * CAP + axis]! < pivot) low++;
        while (caps[high * CAP + axis]! > pivot) high--;
        if (low <= high) this.#swap(low++, high--);
      }
      if (middle <= high) last = high;
      else if (middle >= low) first = low;
      else return;
    }
  }

  #swap(a: number, b: number): void {
    const [caps, numbers] = [this.#caps, this.#numbers];
    for (let i = 0; i < CAP; i++) {
      const value = caps[a * CAP + i]!;
      caps[a * CAP + i] = caps[b * CAP + i]!;
      caps[b * CAP + i] = value;
    }
    const number = numbers[a]!;
    numbers[a] = numbers[b]!;
    numbers[b] = number;
  }
}

/** The input of an index for these areas. */
export function capsOf(areas: readonly Area[]): Float64Array {
  const caps = new Float64Array(areas.length * CAP);
  for (const [number, { center, chord }] of areas.entries())
    caps.set([center.x, center.y, center.z, chord], number * CAP);
  return caps;
}

const CAP = 4;
const REACH = 6;
/** Up to this many fences are faster to check individually than to divide further. */
const CROWD = 8;
const ROUNDING = 1e-12;

const middleOf = (from: number, to: number) => (from + to) >> 1;
