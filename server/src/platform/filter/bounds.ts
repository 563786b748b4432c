import { badRequest } from '../errors.ts';

/** Limits of one filter. A filter over a limit gets a 400 whose message names the limit. */
export const bounds = {
  rows: 10_000,
  /** Levels of `and`, `or` and `nor`, and levels of an object compared with a JSON field. */
  nesting: 8,
  /** Nesting of brackets in the text of a filter: allows the nesting above plus the scope of an include. */
  brackets: 64,
  terms: 100,
  list: 1_000,
  /** Values of all lists together: an engine binds at most 32 766 parameters in one statement. */
  values: 10_000,
  orderFields: 10,
  keyLength: 200,
  likeLength: 1_000,
  regexpLength: 100,
  rangeMs: 90 * 24 * 3600 * 1000,
} as const;

/** Shortens a name from a request for an error message. */
export function named(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

export function refuse(at: string, sentence: string): never {
  throw badRequest(`${at}: ${sentence}`);
}

export function checkKey(at: string, key: string): void {
  if (key.length > bounds.keyLength) refuse(at, `a name may have at most ${bounds.keyLength} characters`);
}

/** Neither engine can store NUL or lone surrogates, so no stored text contains or equals such a text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
