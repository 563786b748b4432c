import type { TrackerSession } from '../tracker.ts';
import { epochOfWallTime } from '../wall-time.ts';

/** The standard's devices tell Chinese time. */
export const USUAL_ZONE = '+08:00';
const USUAL_OFFSET_MS = 8 * 3_600_000;

/** Six bytes of decimal digits: yymmddhhmmss. */
export function timeAt(bytes: Buffer, at: number, { timeZone }: TrackerSession): number | undefined {
  if (at + 6 > bytes.length) return undefined;
  const year = 2000 + digits(bytes[at]!);
  const month = digits(bytes[at + 1]!);
  const day = digits(bytes[at + 2]!);
  const hour = digits(bytes[at + 3]!);
  const minute = digits(bytes[at + 4]!);
  const second = digits(bytes[at + 5]!);
  return epochOf(year, month, day, hour, minute, second, timeZone);
}

function epochOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  timeZone: string | undefined,
): number | undefined {
  if (timeZone !== undefined && timeZone !== USUAL_ZONE)
    return epochOfWallTime({ year, month, day, hour, minute, second }, timeZone);
  const isTime = hour < 24 && minute < 60 && second <= 60;
  if (year > 2099 || month < 1 || month > 12 || day < 1 || day > 31 || !isTime) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) - USUAL_OFFSET_MS;
}

/** More than any clock shows, where it is no decimal digit. */
export const digits = (byte: number) => ((byte & 15) > 9 || byte > 0x99 ? 999 : (byte >> 4) * 10 + (byte & 15));
