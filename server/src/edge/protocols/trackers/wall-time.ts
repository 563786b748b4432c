/** Local time of a device's clock; month and day start at 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms?: number;
}

/**
 * Epoch milliseconds of a local time, or undefined if the time is invalid.
 *
 * @param timeZone an IANA name or an offset such as `+08:00`; absent or unknown: UTC. An hour that is skipped in spring
 *   is read with the offset before the change; for an hour that is repeated in autumn, the first is used.
 */
export function epochOfWallTime(wall: WallTime, timeZone?: string): number | undefined {
  const asUtc = epochOfUtc(wall);
  if (asUtc === undefined || timeZone === undefined) return asUtc;
  const fixed = fixedOffsetMs(timeZone);
  if (fixed !== undefined) return asUtc - fixed;
  const clock = clockOf(timeZone);
  if (!clock) return asUtc;
  // A zone changes its offset at most once within the two days around a time.
  const before = offsetMs(clock, asUtc - DAY_MS);
  const after = offsetMs(clock, asUtc + DAY_MS);
  const early = asUtc - before;
  if (before === after || offsetMs(clock, early) === before) return early;
  const late = asUtc - after;
  return offsetMs(clock, late) === after ? late : early;
}

/** Whether `epochOfWallTime` supports a zone with this name. */
export const isTimeZone = (name: string): boolean => fixedOffsetMs(name) !== undefined || clockOf(name) !== undefined;

const DAY_MS = 86_400_000;

function epochOfUtc({ year, month, day, hour, minute, second, ms = 0 }: WallTime): number | undefined {
  if (![year, month, day, hour, minute, second, ms].every(Number.isInteger)) return undefined;
  const isDate = year >= 1970 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
  // Receivers show second 60 during a leap second.
  const isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second <= 60;
  return isDate && isTime && ms >= 0 && ms < 1000
    ? Date.UTC(year, month - 1, day, hour, minute, second, ms)
    : undefined;
}

const daysOf = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate();

function fixedOffsetMs(timeZone: string): number | undefined {
  if (/^(?:UTC|GMT|Z)$/i.test(timeZone)) return 0;
  const [, sign, hours, minutes = '0'] = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(timeZone) ?? [];
  if (hours === undefined || Number(hours) > 14 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/**
 * Creating a formatter is slow, using it is fast. There are about 600 zone names. Unknown names are cached too, so the
 * cache is cleared at a limit.
 */
const clocks = new Map<string, Intl.DateTimeFormat | undefined>();
const MOST_CLOCKS = 1000;

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!clocks.has(timeZone)) {
    if (clocks.size >= MOST_CLOCKS) clocks.clear();
    clocks.set(timeZone, newClock(timeZone));
  }
  return clocks.get(timeZone);
}

function newClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
}

function offsetMs(clock: Intl.DateTimeFormat, at: number): number {
  const shown = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = shown as Record<string, number>;
  const wholeSeconds = Math.floor(at / 1000) * 1000;
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - wholeSeconds;
}
