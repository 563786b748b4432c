/** What values may look like on the wire, whatever field they stand in. */

const MAX_DEPTH = 20;
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

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

/** Epoch milliseconds as text. Four digits are somebody's year, and no time of ours. */
const DIGITS = /^(0|-?\d{5,17})$/;
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?[Zz]|([+\- ])(\d\d)(?::?(\d\d))?)?)?$/;

/**
 * Epoch milliseconds of a time as callers send it: ISO 8601 with any offset (UTC where it has none), a date (its midnight
 * in UTC), or epoch milliseconds as a number or digits. A plus that a query string turned into a space is still a plus.
 * Undefined where it is no time in the years 0 to 9999, and for the 30th of February.
 */
export function parseTime(sent: unknown): number | undefined {
  const text = typeof sent === 'string' ? sent.trim() : '';
  const at = typeof sent === 'number' ? Math.trunc(sent) : DIGITS.test(text) ? Number(text) : instantOf(text);
  return at >= FIRST_INSTANT && at <= LAST_INSTANT ? at : undefined;
}

function instantOf(text: string): number {
  const parts = ISO.exec(text);
  if (parts === null) return Number.NaN;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [sign, offsetHour, offsetMinute] = [parts[8] === '-' ? -1 : 1, Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return Number.NaN;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return Number.NaN;
  const offset = sign * (offsetHour * 60 + offsetMinute);
  const millisecond = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3));
  return midnight.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + millisecond;
}

/** A path or body id: a positive whole number, `10.0` is 10; no exponents, signs, or leading zeros. */
export function parseId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}(\.0+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
