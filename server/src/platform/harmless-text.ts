/** Texts that users chose, inside messages that are sent in the operator's name. */

const MAX_NAME = 60;

/** One line without control or invisible characters, in which no program finds an address to link to. */
export const harmless = (text: string): string =>
  text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/:\s*\/\s*\//g, ' ')
    .replaceAll(/\bwww\./gi, '')
    .replaceAll(/[.\u3002\uff0e\uff61](?=\p{L})/gu, '. ')
    .replaceAll('@', ' at ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();

/** How a language quotes. */
export type Quotes = readonly [open: string, close: string];
const ENGLISH: Quotes = ['“', '”'];

/** A name in quotes, so that it cannot pass for a sentence of ours. */
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

/** Harmless, with the spaces at its ends, which stand between it and the names beside it. */
const between = (part: string) => {
  const plain = harmless(part);
  if (plain === '') return part === '' ? '' : ' ';
  return `${/^\s/.test(part) ? ' ' : ''}${plain}${/\s$/.test(part) ? ' ' : ''}`;
};
