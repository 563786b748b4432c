/** Times as text in UTC, and local times of a time zone. */

const DAY_MS = 86_400_000;
const two = (value: number) => (value < 10 ? `0${value}` : `${value}`);
const three = (value: number) => (value < 10 ? `00${value}` : value < 100 ? `0${value}` : `${value}`);

let knownDay = Number.NaN;
let knownText = '';

/**
 * ISO 8601 in UTC with milliseconds. Times in one response are usually of the same day, so the text of the last day is
 * cached.
 */
export function isoTime(at: number): string {
  const day = Math.floor(at / DAY_MS);
  if (day !== knownDay) {
    knownText = new Date(day * DAY_MS).toISOString().slice(0, -13);
    knownDay = day;
  }
  const remaining = at - day * DAY_MS;
  const seconds = Math.floor(remaining / 1000);
  const minutes = Math.floor(seconds / 60);
  const hour = Math.floor(minutes / 60);
  return `${knownText}${two(hour)}:${two(minutes % 60)}:${two(seconds % 60)}.${three(remaining % 1000)}Z`;
}

const MINUTE_MS = 60_000;
/** More than there are zones, because each can be written in several ways. */
const MOST_FORMATS = 1000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether it is a name of the time zone database, like Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  // Some runtimes accept offsets like +01:00, but those ignore daylight saving time.
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  if (formats.size >= MOST_FORMATS) formats.clear();
  formats.set(timeZone, made);
  return made;
}

/** The local time as if it were UTC, to the minute. */
export function wallOf(timeZone: string, at: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) parts[type] = Number(value);
  return Date.UTC(parts.year!, parts.month! - 1, parts.day!, parts.hour!, parts.minute!);
}

/** The moment of a local time, given as if it were UTC. */
export function momentOfWall(timeZone: string, wall: number): number {
  const guess = wall - offsetMinutes(timeZone, wall) * MINUTE_MS;
  return wall - offsetMinutes(timeZone, guess) * MINUTE_MS;
}

/** Minutes since midnight. */
export const minuteOfDay = (timeZone: string, at: number): number => (wallOf(timeZone, at) / MINUTE_MS) % 1440;

/** Offset of local time from UTC in minutes, positive if ahead. */
export const offsetMinutes = (timeZone: string, at: number): number =>
  (wallOf(timeZone, at) - Math.floor(at / MINUTE_MS) * MINUTE_MS) / MINUTE_MS;

/** Formats a time for people: "1 Jun 2026, 14:05 (Europe/Berlin)". */
export function wallText(timeZone: string, at: number, locale = 'en-GB'): string {
  const text = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle: 'short' }).format(at);
  return `${text} (${timeZone})`;
}
