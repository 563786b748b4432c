/** Something that waits its turn, and whose turn it is. */
export interface Queued {
  readonly owner: string;
}

/**
 * Owners are served in turn, one item of each at a time, however many somebody has put in. It is bounded in all and per
 * owner, so that neither the queue nor one owner's share of it grows without end.
 */
export class FairQueue<Item extends Queued> {
  /** In order of turn: who was served goes to the end. */
  readonly #waiting = new Map<string, Item[]>();
  readonly #busy = new Set<string>();
  readonly #capacity: number;
  readonly #capacityPerOwner: number;
  #size = 0;

  constructor(capacity: number, capacityPerOwner: number) {
    this.#capacity = capacity;
    this.#capacityPerOwner = capacityPerOwner;
  }

  /** False where there is no room. */
  add(item: Item): boolean {
    const before = this.#waiting.get(item.owner);
    if (this.#size >= this.#capacity || (before?.length ?? 0) >= this.#capacityPerOwner) return false;
    if (before) before.push(item);
    else this.#waiting.set(item.owner, [item]);
    this.#size += 1;
    return true;
  }

  /** Takes the next item whose owner has none running, and counts it as running until `finished`. */
  take(): Item | undefined {
    for (const [owner, items] of this.#waiting) {
      if (this.#busy.has(owner)) continue;
      const item = items.shift()!;
      this.#waiting.delete(owner);
      if (items.length > 0) this.#waiting.set(owner, items);
      this.#size -= 1;
      this.#busy.add(owner);
      return item;
    }
    return undefined;
  }

  finished(item: Item): void {
    this.#busy.delete(item.owner);
  }

  /** Takes a waiting item out, as when its patience ended. */
  remove(item: Item): void {
    const items = this.#waiting.get(item.owner);
    const at = items?.indexOf(item) ?? -1;
    if (!items || at < 0) return;
    items.splice(at, 1);
    if (items.length === 0) this.#waiting.delete(item.owner);
    this.#size -= 1;
  }

  /** Empties the queue. */
  removeAll(): Item[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#size = 0;
    return all;
  }
}
