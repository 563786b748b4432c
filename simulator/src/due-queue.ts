/** A priority queue of list indexes, by due time and then by index: a binary heap in flat arrays, for 100 000 entries. */
export class DueQueue {
  readonly #dueAt: Float64Array;
  readonly #indexes: Uint32Array;

  constructor(dueAt: readonly number[]) {
    // A sorted array is already a heap.
    this.#indexes = Uint32Array.from(dueAt.keys()).sort((a, b) => dueAt[a]! - dueAt[b]! || a - b);
    this.#dueAt = Float64Array.from(this.#indexes, (index) => dueAt[index]!);
  }

  get first(): number {
    return this.#indexes[0]!;
  }

  get dueAt(): number {
    return this.#dueAt[0]!;
  }

  /** Gives the first entry a later due time. */
  postpone(dueAt: number): void {
    const [times, indexes] = [this.#dueAt, this.#indexes];
    const mover = indexes[0]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= indexes.length) break;
      if (
        child + 1 < indexes.length &&
        isBefore(times[child + 1]!, indexes[child + 1]!, times[child]!, indexes[child]!)
      )
        child++;
      if (!isBefore(times[child]!, indexes[child]!, dueAt, mover)) break;
      times[at] = times[child]!;
      indexes[at] = indexes[child]!;
      at = child;
    }
    times[at] = dueAt;
    indexes[at] = mover;
  }
}

const isBefore = (timeA: number, a: number, timeB: number, b: number) => timeA < timeB || (timeA === timeB && a < b);
