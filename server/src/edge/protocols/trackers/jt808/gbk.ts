/** Chinese text as the standard writes it: GBK. */

const decoder = new TextDecoder('gbk');

export const textOf = (bytes: Buffer): string => decoder.decode(bytes).replace(/\0+$/, '');

let codes: ReadonlyMap<string, number> | undefined;

/** The bytes of a text, or undefined if it has a letter that GBK has not. */
export function bytesOf(text: string): Buffer | undefined {
  const bytes: number[] = [];
  for (const letter of text) {
    const code = letter.codePointAt(0)!;
    if (code < 0x80) bytes.push(code);
    else {
      codes ??= codesOfLetters();
      const known = codes.get(letter);
      if (known === undefined) return undefined;
      bytes.push(known >> 8, known & 0xff);
    }
  }
  return Buffer.from(bytes);
}

/** The runtime only decodes GBK, so each pair of bytes is decoded once. */
function codesOfLetters(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const strict = new TextDecoder('gbk', { fatal: true });
  for (let first = 0x81; first <= 0xfe; first += 1)
    for (let second = 0x40; second <= 0xfe; second += 1) {
      if (second === 0x7f) continue;
      try {
        const letter = strict.decode(Buffer.from([first, second]));
        if ([...letter].length === 1 && !found.has(letter)) found.set(letter, (first << 8) | second);
      } catch {}
    }
  return found;
}
