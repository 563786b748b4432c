/**
 * Remembers what was read while nothing at all was committed. Any commit, by anyone, forgets everything, so what is
 * remembered is always what a fresh read would say. Where the engine can't tell, every call reads.
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
 * Remembers what was read for an object as long as that very object is in use. For one that `whileUnchanged` hands out,
 * this is as long as nothing was committed, and nobody needs to look again whether something was.
 */
export function whileSame<O extends object, K, V>(
  load: (object: O, key: K) => Promise<V | undefined>,
): (object: O, key: K) => Promise<V | undefined> {
  const kept = new WeakMap<O, Map<K, V>>();
  return async (object, key) => {
    const known = kept.get(object)?.get(key);
    if (known !== undefined) return known;
    const value = await load(object, key);
    if (value !== undefined) {
      if (!kept.has(object)) kept.set(object, new Map());
      kept.get(object)!.set(key, value);
    }
    return value;
  };
}

/** The same for what is read in more than one way: whoever reads, looks here first and leaves it here. */
export class Memory<V> {
  readonly #changes: () => number | undefined;
  readonly #limit: number;
  readonly #kept = new Map<string, V>();
  #seen: number | undefined;

  constructor(changes: () => number | undefined, limit = 10_000) {
    this.#changes = changes;
    this.#limit = limit;
  }

  get(key: string): V | undefined {
    const now = this.#changes();
    if (now === undefined) return undefined;
    if (now !== this.#seen || this.#kept.size >= this.#limit) {
      this.#kept.clear();
      this.#seen = now;
    }
    return this.#kept.get(key);
  }

  /** Only while nothing was committed since it was looked for: it may be older than that. */
  keep(key: string, value: V): void {
    if (this.#seen !== undefined && this.#changes() === this.#seen) this.#kept.set(key, value);
  }
}
