import type { Violation } from '@trackway/contract/accept.ts';
import { isTimeZone, minuteOfDay, offsetMinutes } from '../../platform/times.ts';
import { invalid } from '../../refusals.ts';

/** The daily hours when a user does not want to be disturbed, in local time. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Minutes since midnight of "22:00"; undefined if it is not such a time. */
export function minutesOf(text: string): number | undefined {
  const found = CLOCK.exec(text);
  return found ? Number(found[1]) * 60 + Number(found[2]) : undefined;
}

/** Refuses an invalid time zone or invalid hours. */
export function requireHours(profile: { readonly timeZone?: unknown; readonly quietHours?: unknown }): void {
  const { timeZone } = profile;
  const hours = profile.quietHours as Partial<QuietHours> | null | undefined;
  const violations: Violation[] = [];
  if (typeof timeZone === 'string' && !isTimeZone(timeZone))
    violations.push({
      field: 'timeZone',
      code: 'inclusion',
      message: 'must be the name of a time zone, such as Europe/Berlin',
    });
  if (hours) {
    const [from, to] = [minutesOf(hours.from ?? ''), minutesOf(hours.to ?? '')];
    if (from === undefined || to === undefined)
      violations.push({ field: 'quietHours', code: 'format', message: 'must be {"from": "22:00", "to": "07:00"}' });
    else if (from === to)
      violations.push({ field: 'quietHours', code: 'range', message: 'must have different start and end times' });
  }
  if (violations.length > 0) throw invalid('user', violations);
}

/** The end of the current quiet hours; undefined if there are none now. */
export function quietUntil(hours: QuietHours | null, timeZone: string | null, now: number): number | undefined {
  const from = hours && minutesOf(hours.from);
  const to = hours && minutesOf(hours.to);
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) return undefined;
  const zone = timeZone !== null && isTimeZone(timeZone) ? timeZone : 'UTC';
  const isQuiet = (minute: number) => (from < to ? from <= minute && minute < to : minute >= from || minute < to);
  const minute = minuteOfDay(zone, now);
  if (!isQuiet(minute)) return undefined;
  const start = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const end = start + ((to - minute + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS;
  if (offsetMinutes(zone, end) === offsetMinutes(zone, now)) return end;
  // On a night with a clock change, the end is the first minute that is no longer quiet.
  for (let at = start + MINUTE_MS; ; at += MINUTE_MS) if (!isQuiet(minuteOfDay(zone, at))) return at;
}
