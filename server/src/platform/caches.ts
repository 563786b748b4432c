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

/**
 * Caches values until the next commit. Any commit, by any process, clears the cache, so a cached value always equals a
 * fresh read. If the engine cannot detect commits, every call reads.
 */
export function whileUnchanged<V>(
  changes: () => number | undefined,
  load: (key: string) => Promise<V>,
  limit = 10_000,
): (key: string) => Promise<V> {
  const memory = new Memory<V>(changes, limit);
  return async (key) => {
    const known = memory.get(key);
    if (known !== undefined) return known;
    const value = await load(key);
    if (value !== undefined) memory.keep(key, value);
    return value;
  };
}

/**
 * Caches values per object for the lifetime of that object. For an object from `whileUnchanged` this means until the
 * next commit, without checking for one again.
 */
export function whileSame<O extends object, K, V>(
  load: (object: O, key: K) => Promise<V | undefined>,
): (object: O, key: K) => Promise<V | undefined> {
  const cached = new WeakMap<O, Map<K, V>>();
  return async (object, key) => {
    const known = cached.get(object)?.get(key);
    if (known !== undefined) return known;
    const value = await load(object, key);
    if (value !== undefined) {
      if (!cached.has(object)) cached.set(object, new Map());
      cached.get(object)!.set(key, value);
    }
    return value;
  };
}

/** The same cache for values with several readers: each reader checks it first and stores its result. */
export class Memory<V> {
  readonly #changes: () => number | undefined;
  readonly #limit: number;
  readonly #cached = new Map<string, V>();
  #seen: number | undefined;

  constructor(changes: () => number | undefined, limit = 10_000) {
    this.#changes = changes;
    this.#limit = limit;
  }

  get(key: string): V | undefined {
    const now = this.#changes();
    if (now === undefined) return undefined;
    if (now !== this.#seen || this.#cached.size >= this.#limit) {
      this.#cached.clear();
      this.#seen = now;
    }
    return this.#cached.get(key);
  }

  /** Stores the value only if nothing was committed since `get`: otherwise the value may be outdated. */
  keep(key: string, value: V): void {
    if (this.#seen !== undefined && this.#changes() === this.#seen) this.#cached.set(key, value);
  }
}
