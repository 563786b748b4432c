/** A queued item and its owner. */
export interface Queued {
  readonly owner: string;
}

/**
 * Serves owners in turn, a bounded number of items of each at a time, no matter how many an owner has queued. The length
 * is bounded in total and per owner.
 */
export class FairQueue<Item extends Queued> {
  /** In order of turn: an owner that was served moves to the end. */
  readonly #waiting = new Map<string, Item[]>();
  /** How many of an owner's items are running. */
  readonly #running = new Map<string, number>();
  readonly #capacity: number;
  readonly #capacityPerOwner: number;
  readonly #atOncePerOwner: number;
  #size = 0;

  constructor(capacity: number, capacityPerOwner: number, atOncePerOwner = 1) {
    this.#capacity = capacity;
    this.#capacityPerOwner = capacityPerOwner;
    this.#atOncePerOwner = atOncePerOwner;
  }

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Returns false if the queue is full. */
  add(item: Item): boolean {
    const before = this.#waiting.get(item.owner);
    if (this.#size >= this.#capacity || (before?.length ?? 0) >= this.#capacityPerOwner) return false;
    if (before) before.push(item);
    else this.#waiting.set(item.owner, [item]);
    this.#size += 1;
    return true;
  }

  /** Takes the next item whose owner may have one more running, and counts it as running until `finished`. */
  take(): Item | undefined {
    for (const [owner, items] of this.#waiting) {
      const running = this.#running.get(owner) ?? 0;
      if (running >= this.#atOncePerOwner) continue;
      const item = items.shift()!;
      this.#waiting.delete(owner);
      if (items.length > 0) this.#waiting.set(owner, items);
      this.#size -= 1;
      this.#running.set(owner, running + 1);
      return item;
    }
    return undefined;
  }

  finished(item: Item): void {
    const left = this.#running.get(item.owner)! - 1;
    if (left > 0) this.#running.set(item.owner, left);
    else this.#running.delete(item.owner);
  }

  /** Removes a queued item, for example when its time limit is over. */
  remove(item: Item): void {
    const items = this.#waiting.get(item.owner);
    const at = items?.indexOf(item) ?? -1;
    if (!items || at < 0) return;
    items.splice(at, 1);
    if (items.length === 0) this.#waiting.delete(item.owner);
    this.#size -= 1;
  }

  removeAll(): Item[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#size = 0;
    return all;
  }
}
