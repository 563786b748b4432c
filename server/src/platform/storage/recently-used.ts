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
