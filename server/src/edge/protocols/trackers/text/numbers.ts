import type { TrackerReading, TrackerRecord } from '../tracker.ts';
import { epochOfWallTime } from '../wall-time.ts';

/** Parses a decimal number; undefined if the text is not a number, or has more digits than a number can represent. */
export function decimalOf(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return trimmed.length <= 20 && /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** An unsigned integer. */
export const countOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^ *\d{1,15} *$/.test(text) ? Number(text) : undefined;

export const hexOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^ *[0-9a-f]{1,12} *$/i.test(text) ? Number.parseInt(text, 16) : undefined;

/** A percentage, undefined if it exceeds 100. */
export function percentOf(text: string | undefined): number | undefined {
  const value = decimalOf(text?.replace(/%$/, ''));
  return value !== undefined && value >= 0 && value <= 100 ? value : undefined;
}

export const isBitSet = (word: number, bit: number) => Math.floor(word / 2 ** bit) % 2 === 1;

/** Order of the digits of a date. */
export type DateOrder = 'dmy' | 'ymd';

/**
 * Epoch milliseconds of a six-digit date and a time `hhmmss` or `hhmmss.sss`; undefined if invalid. Two-digit years are
 * after 2000.
 */
export function epochOfDigits(
  date: string | undefined,
  order: DateOrder,
  time: string | undefined,
  timeZone?: string,
): number | undefined {
  const [, first, month, last] = /^(\d\d)(\d\d)(\d\d)$/.exec(date?.trim() ?? '') ?? [];
  const [, hour, minute, second, fraction = ''] = /^(\d\d)(\d\d)(\d\d)(?:\.(\d*))?$/.exec(time?.trim() ?? '') ?? [];
  if (first === undefined || hour === undefined) return undefined;
  const [day, year] = order === 'dmy' ? [first, last] : [last, first];
  return epochOfWallTime(
    {
      year: 2000 + Number(year),
      month: Number(month),
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
      ms: Number(fraction.slice(0, 3).padEnd(3, '0')),
    },
    timeZone,
  );
}

/** A time as `yyyymmddhhmmss` in UTC. */
export const digitsOf = (at: number) => new Date(at).toISOString().replace(/\D/g, '').slice(0, 14);

/**
 * Parses `ddmm.mmmm`, undefined if invalid. Minutes are the two digits before the dot, regardless of the number of
 * digits before them. The hemisphere letter gives the sign; without one the coordinate is north or east.
 */
export function degreesOf(text: string | undefined, hemisphere?: string): number | undefined {
  const [, degrees, minutes] = /^ *(\d{0,3}?)(\d{1,2}\.\d{0,10}) *$/.exec(text ?? '') ?? [];
  return minutes === undefined ? undefined : towards(Number(degrees) + Number(minutes) / 60, hemisphere);
}

/** Applies the sign of a hemisphere to an unsigned number. */
export const towards = (degrees: number, hemisphere: string | undefined) =>
  hemisphere === 'S' || hemisphere === 'W' ? -degrees : degrees;

/**
 * A location, and whether it is valid. Devices without a fix send latitude 0 with longitude 0, whatever their flag
 * says: this is no location, and neither are coordinates out of range.
 */
export function placeOf(
  lat: number | undefined,
  lng: number | undefined,
  isVouchedFor: boolean,
): Pick<TrackerRecord, 'location' | 'isValid'> {
  const isPlace = lat !== undefined && lng !== undefined && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  if (!isPlace || (lat === 0 && lng === 0)) return { isValid: false };
  // Adding 0 converts -0 to 0.
  return { location: { lat: lat + 0, lng: lng + 0 }, isValid: isVouchedFor };
}

export const KMH_PER_KNOT = 1.852;

/** Readings of the defined values, by type. */
export const readingsOf = (values: Readonly<Record<string, unknown>>): TrackerReading[] =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([type, value]) => ({ type, value }));

/** Text of a device, truncated. */
export const textOf = (text: string, most = 1000): string => text.trim().slice(0, most);

/** Decodes text that was read as Latin-1: as UTF-8 if valid, else unchanged. */
export function readable(latin1: string): string {
  try {
    return strict.decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return latin1;
  }
}

const strict = new TextDecoder('utf-8', { fatal: true });
