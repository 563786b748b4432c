/** Reads a decimal number; undefined where the text is none, or has more digits than a number keeps. */
export function decimalOf(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return trimmed.length <= 20 && /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** A whole number without a sign. */
export const countOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^ *\d{1,15} *$/.test(text) ? Number(text) : undefined;

export const hexOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^ *[0-9a-f]{1,12} *$/i.test(text) ? Number.parseInt(text, 16) : undefined;

/** A share of 100, undefined where it is more. */
export function percentOf(text: string | undefined): number | undefined {
  const value = decimalOf(text?.replace(/%$/, ''));
  return value !== undefined && value >= 0 && value <= 100 ? value : undefined;
}

export const isBitSet = (word: number, bit: number) => Math.floor(word / 2 ** bit) % 2 === 1;
