/**
 * Remembers what was made for a key, for the keys used last. A `Map` keeps the order of insertion, so putting a key
 * back at its end on every use keeps the stalest one in front.
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
