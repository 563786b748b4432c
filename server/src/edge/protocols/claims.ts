import { isStorableText, parseTime } from '@trackway/contract/values.ts';
import { MAX_TEXT } from './limits.ts';

/**
 * Reads untrusted values of devices from JSON or a query string: a number may arrive as text, and any type may arrive.
 */

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

/** Phones send −1 for a speed, heading or battery they do not know. */
export function knownNumber(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number >= 0 ? number : undefined;
}

/** Metres. Android reports 0 if it does not know the accuracy; no real fix is that accurate. */
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

/** Returns text that is not empty and that both engines can store, truncated if it is too long. */
export function textOf(value: unknown, max = MAX_TEXT): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, max).replaceAll('\u0000', '').toWellFormed().trim();
  return text === '' ? undefined : text;
}

/** Unlike other texts, a name is never truncated: one that is too long is ignored. */
export function nameOf(value: unknown, max: number): string | undefined {
  const name = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof name !== 'string' || name.length > max) return undefined;
  const trimmed = name.trim();
  return trimmed !== '' && isStorableText(trimmed) ? trimmed : undefined;
}

/** The largest 32-bit number of seconds; larger values are milliseconds. */
const MAX_SECONDS = 2_147_483_647;
/** An offset whose plus sign was not encoded in a query, where a plus means a space. */
const BARE_PLUS = /(T[\d:.,]+) (\d{2}:?\d{2})$/;

/**
 * Returns epoch milliseconds of a time in seconds, milliseconds, ISO 8601, or `yyyy-MM-dd HH:mm:ss`. The last is read
 * as UTC; other servers read it in their own zone, so a phone that moves between servers may shift.
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

/** For messages that must have a place: a missing place is NaN too. */
export const requiredPlace = (lat: unknown, lng: unknown) => placeOf(lat, lng) ?? { lat: Number.NaN, lng: Number.NaN };

/** Returns undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Removes undefined fields. */
export function withoutUnset<T extends object>(claims: T): T {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined)) as T;
}
