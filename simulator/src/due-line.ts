/** Who is next: a binary heap of places in a list, by time and then by place. Flat, for 100 000 of them. */
export class DueLine {
  readonly #dueAt: Float64Array;
  readonly #who: Uint32Array;

  constructor(dueAt: readonly number[]) {
    // A sorted list is a heap.
    this.#who = Uint32Array.from(dueAt.keys()).sort((a, b) => dueAt[a]! - dueAt[b]! || a - b);
    this.#dueAt = Float64Array.from(this.#who, (place) => dueAt[place]!);
  }

  get first(): number {
    return this.#who[0]!;
  }

  get dueAt(): number {
    return this.#dueAt[0]!;
  }

  /** The first has something to do again, later. */
  postpone(dueAt: number): void {
    const [times, who] = [this.#dueAt, this.#who];
    const mover = who[0]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= who.length) break;
      if (child + 1 < who.length && isBefore(times[child + 1]!, who[child + 1]!, times[child]!, who[child]!)) child++;
      if (!isBefore(times[child]!, who[child]!, dueAt, mover)) break;
      times[at] = times[child]!;
      who[at] = who[child]!;
      at = child;
    }
    times[at] = dueAt;
    who[at] = mover;
  }
}

const isBefore = (timeA: number, a: number, timeB: number, b: number) => timeA < timeB || (timeA === timeB && a < b);
