import { badRequest } from '../errors.ts';

/** What one filter may ask for. Beyond a bound the answer is 400 with the bound in its sentence. */
export const bounds = {
  rows: 10_000,
  /** Levels of `and`, `or` and `nor`, and levels of an object that a JSON field is compared with. */
  nesting: 8,
  /** Brackets open at once in the text of a filter: what the bound above allows, with room for an include's scope. */
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

/** A name out of a request, short enough for an error message. */
export function named(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

export function refuse(at: string, sentence: string): never {
  throw badRequest(`${at}: ${sentence}`);
}

export function checkKey(at: string, key: string): void {
  if (key.length > bounds.keyLength) refuse(at, `a name may have at most ${bounds.keyLength} characters`);
}

/** NUL and lone surrogates can't be stored by either engine, so no stored text holds or equals such a text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
