/**
 * A map with a maximum size that drops the least recently used entries, approximately. It has two generations: used
 * entries are in the new one; when that is full it becomes the old one, and the previous old one is dropped. So a use
 * costs no more than a lookup, and an entry stays until at least half of the capacity in other entries has been used.
 */
export class RecentMap<Key, Value> {
  readonly #half: number;
  #recent = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  /** @param capacity at least 2 */
  constructor(capacity: number) {
    this.#half = Math.floor(capacity / 2);
  }

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  has(key: Key): boolean {
    return this.#recent.has(key) || this.#older.has(key);
  }

  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined || this.#older.size === 0 || !this.#older.has(key)) return recent;
    const value = this.#older.get(key)!;
    this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#older.delete(key);
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  delete(key: Key): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
  }
}

/**
 * Caches what was made for the most recently used keys. A `Map` preserves insertion order, so moving a key to the end
 * on every use leaves the least recently used one in front.
 */
export function recentlyUsed<V>(capacity: number, make: (key: string) => V): (key: string) => V {
  const made = new Map<string, V>();
  let newest: string | undefined;
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) {
      if (key !== newest) {
        made.delete(key);
        made.set(key, known);
        newest = key;
      }
      return known;
    }
    const value = make(key);
    if (made.size >= capacity) made.delete(made.keys().next().value as string);
    made.set(key, value);
    newest = key;
    return value;
  };
}
