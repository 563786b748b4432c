import { didYouMean } from '@trackway/contract/nearest.ts';
import { parseTime } from '@trackway/contract/values.ts';
import { badRequest } from '../errors.ts';
import type { Cell } from '../storage/shape.ts';

/** A value that no stored value equals, precedes or follows. */
export const unmatchable = Symbol('unmatchable');

export type ScalarKind = 'integer' | 'number' | 'text' | 'flag' | 'time';

const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export function isNumeric(text: string): boolean {
  return numeric.test(text) && Number.isFinite(Number(text));
}

/** Returns the cell to compare with a column of that kind, and rejects a value that has no meaning for the kind. */
export function coerce(kind: ScalarKind, value: unknown, at: string): Cell | typeof unmatchable {
  switch (kind) {
    case 'text':
      return textOf(value, at);
    case 'flag':
      return flagOf(value, at) ? 1 : 0;
    case 'time': {
      const instant = parseTime(value);
      if (instant === undefined) refuse(at, 'must be a time: ISO 8601 with an offset, a date, or epoch milliseconds');
      return instant;
    }
    default:
      return numberOf(value, at);
  }
}

export function numberOf(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0;
  if (typeof value === 'string' && isNumeric(value)) return Number(value) + 0;
  refuse(at, 'must be a number');
}

export function flagOf(value: unknown, at: string): boolean {
  if (value === true || value === 'true' || value === 1 || value === '1') return true;
  if (value === false || value === 'false' || value === 0 || value === '0') return false;
  refuse(at, 'must be true or false');
}

function textOf(value: unknown, at: string): string | typeof unmatchable {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') refuse(at, 'must be a string');
  return isStorable(value) ? value : unmatchable;
}

/**
 * Reads a list from JSON or brackets: `[0]=a&[1]=b` arrives as an object with numeric keys, and a single `inq=a` as its
 * only value.
 */
export function listOf(value: unknown, loose: boolean): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!loose || value === null || value === undefined) return undefined;
  if (typeof value !== 'object') return [value];
  const keys = Object.keys(value);
  if (keys.length === 0 || !keys.every((key) => /^\d{1,9}$/.test(key))) return undefined;
  keys.sort((a, b) => Number(a) - Number(b));
  return keys.map((key) => (value as Record<string, unknown>)[key]);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** Rejects a name and suggests a known one. */
export function refuseUnknown(at: string, what: string, name: string, known: readonly string[]): never {
  const shown = named(name);
  throw badRequest(`${at}: unknown ${what}${at.endsWith(shown) ? '' : ` ${shown}`}.${didYouMean(shown, known)}`);
}

export function checkKey(at: string, key: string): void {
  if (key.length > bounds.keyLength) refuse(at, `a name may have at most ${bounds.keyLength} characters`);
}

/** Neither engine can store NUL or lone surrogates, so no stored text contains or equals such a text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
