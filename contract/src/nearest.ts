/** The probably intended name, if one is similar enough to the input. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  return within(typed, names, () => Math.max(1, Math.floor(typed.length / 3)));
}

/**
 * The name within edit distance two. For names of three letters the distance is one, because with two almost every
 * short word would match.
 */
export function mistypedOf(typed: string, names: readonly string[]): string | undefined {
  return within(typed, names, (name) => Math.min(2, name.length - 2));
}

function within(typed: string, names: readonly string[], most: (name: string) => number): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase());
    if (distance <= most(name) && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name;
}

export function didYouMean(typed: string, names: readonly string[], prefix = ''): string {
  const name = nearest(typed, names);
  return name === undefined ? '' : ` Did you mean ${prefix}${name}?`;
}

/** The number of letters to insert, delete, replace, or swap with their neighbour (Damerau-Levenshtein distance). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const exchanged = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(exchanged, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
