/** Rules for values of all fields. */

const MAX_DEPTH = 20;
export const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z');
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** One e-mail address, without characters that could inject a header. */
export const MAILED = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/;

/** Whether both databases can store the text: no NUL and no unpaired surrogate. */
export const isStorableText = (text: string) => text.isWellFormed() && !text.includes('\u0000');

/** Whether both databases can store the JSON value, and it is not nested too deeply. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  // Lists may be long, and have no keys to check.
  if (Array.isArray(value)) return value.every((inner) => isStorable(inner, depth + 1));
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorableText(key) || !isStorable(inner, depth + 1)) return false;
  }
  return true;
}

/** Epoch milliseconds as text. Four digits are not accepted, since they probably mean a year. */
const DIGITS = /^(0|-?\d{5,17})$/;
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?[Zz]|([+\- ])(\d\d)(?::?(\d\d))?)?)?$/;

/**
 * Parses a time as callers send it into epoch milliseconds: ISO 8601 with any offset (UTC without one), a date (midnight
 * in UTC), or epoch milliseconds as a number or digits. A space in place of the plus sign is accepted, since query strings
 * decode a plus to a space. Returns undefined for anything else, for times outside the years 0 to 9999, and for dates that
 * do not exist, such as 30 February.
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

/** Parses an id: a positive integer. `10.0` is 10. Exponents, signs and leading zeros are not accepted. */
export function parseId(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}(\.0+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
