import { isStorableText, parseTime } from '@trackway/contract/values.ts';
import { MAX_TEXT } from './limits.ts';

/** Values as devices claim them, out of JSON or out of a query string: a number may come as text, and anything at all. */

export type Json = Readonly<Record<string, unknown>>;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
/** Longer than any number or time. */
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

/** Phones say −1 for a speed, heading or battery they do not know. */
export function knownNumber(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number >= 0 ? number : undefined;
}

/** Metres. Android reports 0 where it knows no accuracy, and no fix is that good. */
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

/** Not empty, of a form both engines can keep, cut where it is too long. */
export function textOf(value: unknown, max = MAX_TEXT): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, max).replaceAll('\u0000', '').toWellFormed().trim();
  return text === '' ? undefined : text;
}

/** What names a thing is taken whole or not at all. */
export function nameOf(value: unknown, max: number): string | undefined {
  const name = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof name !== 'string' || name.length > max) return undefined;
  const trimmed = name.trim();
  return trimmed !== '' && isStorableText(trimmed) ? trimmed : undefined;
}

/** The largest second of 32 bits: what is larger counts milliseconds. */
const MAX_SECONDS = 2_147_483_647;
/** An offset whose plus sign was sent bare in a query, where it means a space. */
const BARE_PLUS = /(T[\d:.,]+) (\d{2}:?\d{2})$/;

/**
 * Epoch milliseconds of a time in seconds, milliseconds, ISO 8601, or `yyyy-MM-dd HH:mm:ss`, which is UTC here (other
 * servers take it for their own zone, so the same phone means another time after a move).
 */
export function timeOf(value: unknown): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return parseTime(Math.round(number < MAX_SECONDS ? number * 1000 : number));
  if (typeof value !== 'string' || value.length > MAX_SCALAR) return undefined;
  return parseTime(value.trim().replace(BARE_PLUS, '$1+$2'));
}

/** Not a number where a coordinate is claimed and can't be read, so that the position is judged for it. */
export function placeOf(lat: unknown, lng: unknown): { lat: number; lng: number } | undefined {
  if (isAbsent(lat) && isAbsent(lng)) return undefined;
  return { lat: numberOf(lat) ?? Number.NaN, lng: numberOf(lng) ?? Number.NaN };
}

/** The place of a message that always has one. */
export const requiredPlace = (lat: unknown, lng: unknown) => placeOf(lat, lng) ?? { lat: Number.NaN, lng: Number.NaN };

/** Undefined where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without what was not said. */
export function said<T extends object>(claims: T): T {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined)) as T;
}
