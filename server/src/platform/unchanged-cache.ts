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
