import { isStorableText, parseTime } from '@trackway/contract/values.ts';
import { MAX_TEXT } from './limits.ts';

/** Reads untrusted values from JSON or a query string: a number may arrive as text, and a value may have any type. */

export type Json = Readonly<Record<string, unknown>>;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
/** Characters. Longer than any number or time. */
const MAX_SCALAR = 50;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isAbsent = (value: unknown) => value === undefined || value === null || value === '';

export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > MAX_SCALAR || !NUMBER.test(value.trim())) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Phones send −1 for an unknown speed, heading or battery level. */
export function knownNumber(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number >= 0 ? number : undefined;
}

/** Metres. Android reports 0 for an unknown accuracy; no real fix is that accurate. */
export function accuracyOf(value: unknown): number | undefined {
  const metres = numberOf(value);
  return metres !== undefined && metres > 0 ? metres : undefined;
}

export function truthOf(value: unknown): boolean | undefined {
  if (value === true || value === 1 || value === '1') return true;
  if (value === false || value === 0 || value === '0') return false;
  const word = typeof value === 'string' && value.length <= 5 ? value.toLowerCase() : '';
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** Returns non-empty text that both database engines can store, truncated if it is too long. */
export function textOf(value: unknown, max = MAX_TEXT): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, max).replaceAll('\u0000', '').toWellFormed().trim();
  return text === '' ? undefined : text;
}

/** Unlike other texts, names are never truncated: a name that is too long is ignored. */
export function nameOf(value: unknown, max: number): string | undefined {
  const name = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof name !== 'string' || name.length > max) return undefined;
  const trimmed = name.trim();
  return trimmed !== '' && isStorableText(trimmed) ? trimmed : undefined;
}

/** The largest 32-bit number of seconds; larger values are milliseconds. */
const MAX_SECONDS = 2_147_483_647;
/** An offset whose plus sign was not encoded in a query and so was decoded as a space. */
const BARE_PLUS = /(T[\d:.,]+) (\d{2}:?\d{2})$/;

/**
 * Parses a time in seconds, milliseconds, ISO 8601, or `yyyy-MM-dd HH:mm:ss` to epoch milliseconds. The last format is
 * read as UTC; other servers read it in their own zone, so a phone that moves between servers may shift.
 */
export function timeOf(value: unknown): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return parseTime(Math.round(number < MAX_SECONDS ? number * 1000 : number));
  if (typeof value !== 'string' || value.length > MAX_SCALAR) return undefined;
  return parseTime(value.trim().replace(BARE_PLUS, '$1+$2'));
}

/** Returns NaN for a coordinate that is present but unreadable, so that the position is quarantined. */
export function placeOf(lat: unknown, lng: unknown): { lat: number; lng: number } | undefined {
  if (isAbsent(lat) && isAbsent(lng)) return undefined;
  return { lat: numberOf(lat) ?? Number.NaN, lng: numberOf(lng) ?? Number.NaN };
}

/** For messages that require a place: a missing place is NaN too. */
export const requiredPlace = (lat: unknown, lng: unknown) => placeOf(lat, lng) ?? { lat: Number.NaN, lng: Number.NaN };

/** Maximum nesting of lists and objects. It limits the recursion of all code that traverses JSON. */
export const MAX_DEPTH = 100;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const isOpening = (code: number) => code === 0x5b || code === 0x7b;
const isClosing = (code: number) => code === 0x5d || code === 0x7d;

/** Whether JSON is nested so deeply that it could exhaust the stack. Checked before parsing. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) {
      if (code === BACKSLASH) at++;
    } else if (isOpening(code)) {
      if (++depth > MAX_DEPTH) return true;
    } else if (isClosing(code)) depth--;
  }
  return false;
}

/** Returns undefined if the text is not JSON, or is nested too deeply. */
export function parseJson(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Removes undefined fields. */
export function withoutUnset<T extends object>(claims: T): T {
  const set: Partial<T> = {};
  for (const name in claims) if (claims[name] !== undefined) set[name] = claims[name];
  return set as T;
}
