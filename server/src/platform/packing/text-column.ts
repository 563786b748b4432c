import type { ByteReader, ByteWriter } from './bytes.ts';
import { packNumbers, unpackNumbers } from './number-column.ts';

/** A column of texts: each distinct text once, in the order of first appearance, and its index for each row. */

const EMPTY = 0;
const TEXTS = 1;

export function packTexts(into: ByteWriter, cells: readonly (string | null)[]): void {
  const numbers = new Map<string, number>();
  const which = cells.map((cell) => {
    if (cell === null) return null;
    const known = numbers.get(cell);
    if (known !== undefined) return known;
    numbers.set(cell, numbers.size);
    return numbers.size - 1;
  });
  if (numbers.size === 0) {
    into.byte(EMPTY);
    return;
  }
  into.byte(TEXTS);
  into.whole(numbers.size);
  for (const text of numbers.keys()) into.text(text);
  packNumbers(into, which, 0);
}

export function unpackTexts(from: ByteReader, count: number): (string | null)[] {
  const form = from.byte();
  if (form === EMPTY) return new Array(count).fill(null);
  if (form !== TEXTS) throw new RangeError(`There is no form ${form} of a column of texts.`);
  const texts = Array.from({ length: from.whole() }, () => from.text());
  return unpackNumbers(from, count).map((number) => (number === null ? null : texts[number]!));
}
