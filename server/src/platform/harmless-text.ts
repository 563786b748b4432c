/** Makes texts of users safe inside messages in the operator's name. */

const MAX_NAME = 60;

/** One line without control or invisible characters, where no program finds an address to link. */
export const harmless = (text: string): string =>
  text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/:\s*\/\s*\//g, ' ')
    .replaceAll(/\bwww\./gi, '')
    .replaceAll(/[.\u3002\uff0e\uff61](?=\p{L})/gu, '. ')
    .replaceAll('@', ' at ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();

/** The quotation marks of a language. */
export type Quotes = readonly [open: string, close: string];
const ENGLISH: Quotes = ['“', '”'];

/** A name in quotes, so that it cannot be mistaken for a sentence of ours. */
export function quotedName(name: string, [open, close]: Quotes = ENGLISH): string {
  const plain = harmless(name).replaceAll(/["“”„«»]/g, "'");
  return `${open}${[...plain].length > MAX_NAME ? `${[...plain].slice(0, MAX_NAME - 1).join('')}…` : plain}${close}`;
}

/** The sentence with every one of these names in quotes. */
export function quoteNames(sentence: string, names: readonly string[], quotes: Quotes = ENGLISH): string {
  const known = [...new Set(names.filter((name) => name.trim() !== ''))].sort((a, b) => b.length - a.length);
  if (known.length === 0) return harmless(sentence);
  return sentence
    .split(new RegExp(`(${known.map(literally).join('|')})`))
    .map((part, index) => (index % 2 === 1 ? quotedName(part, quotes) : between(part)))
    .join('')
    .trim();
}

const literally = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Harmless, but keeps the spaces at its ends, which separate it from adjacent names. */
const between = (part: string) => {
  const plain = harmless(part);
  if (plain === '') return part === '' ? '' : ' ';
  return `${/^\s/.test(part) ? ' ' : ''}${plain}${/\s$/.test(part) ? ' ' : ''}`;
};
