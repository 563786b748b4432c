import { epochOfWallTime } from '../wall-time.ts';

/** How the digits of a date follow each other. */
export type DateOrder = 'dmy' | 'ymd';

/**
 * Epoch milliseconds of a date of six digits and a time `hhmmss` or `hhmmss.sss`; undefined where they are none. Years
 * have two digits and are after 2000.
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

/** `yyyymmddhhmmss` of a moment, in UTC. */
export const digitsOf = (at: number) => new Date(at).toISOString().replace(/\D/g, '').slice(0, 14);
