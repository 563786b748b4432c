/** A set of code points: sorted, inclusive ranges that neither touch nor overlap. */
export type Charset = readonly (readonly [number, number])[];

export const lastCodePoint = 0x10ffff;

export function charset(ranges: Iterable<readonly [number, number]>): Charset {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function single(codePoint: number): Charset {
  return [[codePoint, codePoint]];
}

export function union(...sets: Charset[]): Charset {
  return charset(sets.flat());
}

export function complement(set: Charset): Charset {
  const remaining: [number, number][] = [];
  let from = 0;
  for (const [first, last] of set) {
    if (first > from) remaining.push([from, first - 1]);
    from = last + 1;
  }
  if (from <= lastCodePoint) remaining.push([from, lastCodePoint]);
  return remaining;
}

export function sizeOf(set: Charset): number {
  return set.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

/** Adds the lower and upper case of every character in the set, if that is a single character. */
export function withBothCases(set: Charset): Charset {
  const more: [number, number][] = [];
  for (const [from, to] of set) {
    for (let codePoint = from; codePoint <= to; codePoint++) {
      const char = String.fromCodePoint(codePoint);
      for (const other of [char.toLowerCase(), char.toUpperCase()]) {
        const otherPoint = other.codePointAt(0)!;
        if (otherPoint !== codePoint && other.length === String.fromCodePoint(otherPoint).length)
          more.push([otherPoint, otherPoint]);
      }
    }
  }
  return charset([...set, ...more]);
}

const ascii = (text: string): Charset => charset([...text].map((char) => [char.charCodeAt(0), char.charCodeAt(0)]));

export const digits: Charset = [[0x30, 0x39]];
export const wordCharacters: Charset = charset([...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]);
export const spaces: Charset = ascii(' \t\n\v\f\r');
export const allButNewline: Charset = complement(ascii('\n'));
