/** What values may look like on the wire, whatever field they stand in. */

const MAX_DEPTH = 20;
const FIRST_YEAR = Date.UTC(0, 0, 1) - 1900 * 366 * 86_400_000;
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Both engines can keep it: no NUL, no half of a surrogate pair. */
export const isStorableText = (text: string) => text.isWellFormed() && !text.includes('\u0000');

/** Any JSON value that both engines can keep, not nested beyond reason. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorableText(key) || !isStorable(inner, depth + 1)) return false;
  }
  return true;
}

const ISO = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?\s?(Z|z|[+-]\d{2}(:?\d{2})?)?)?$/;
const EPOCH_MS = /^-?\d{9,15}$/;

/**
 * Epoch milliseconds of a time as callers send it: ISO 8601 with any offset (UTC where it has none), a date, or epoch
 * milliseconds as a number or digits. Undefined where it is no time in the years 0 to 9999.
 */
export function parseTime(sent: unknown): number | undefined {
  const at =
    typeof sent === 'number' ? Math.trunc(sent) : typeof sent === 'string' ? parseText(sent.trim()) : Number.NaN;
  return Number.isFinite(at) && at >= FIRST_YEAR && at <= LAST_INSTANT ? at : undefined;
}

function parseText(text: string): number {
  if (EPOCH_MS.test(text)) return Number(text);
  if (!ISO.test(text)) return Number.NaN;
  const [, date, clock] = /^(\d{4}-\d{2}-\d{2})(.*)$/.exec(text)!;
  if (!isDay(date!)) return Number.NaN;
  if (clock === '') return Date.parse(`${date}T00:00:00.000Z`);
  const [, time, fraction, offset] = /^[T ]([\d:]+)(?:[.,](\d+))?\s?(.*)$/.exec(clock!)!;
  const milliseconds = (fraction ?? '').slice(0, 3).padEnd(3, '0');
  const seconds = time!.length === 5 ? `${time}:00` : time!;
  return Date.parse(`${date}T${seconds}.${milliseconds}${zone(offset!)}`);
}

/** JavaScript turns the 31st of February into a day of March; a calendar has none. */
function isDay(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00.000Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(date);
}

function zone(offset: string): string {
  if (offset === '' || offset === 'z') return 'Z';
  if (/^[+-]\d{2}$/.test(offset)) return `${offset}:00`;
  if (/^[+-]\d{4}$/.test(offset)) return `${offset.slice(0, 3)}:${offset.slice(3)}`;
  return offset;
}

/** A path or body id: a positive whole number, `10.0` is 10; no exponents, signs, or leading zeros. */
export function parseId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}(\.0+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
