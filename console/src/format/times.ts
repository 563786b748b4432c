import { LOCALE } from './locale.ts';

/** Times in the viewer's zone and language. A time is an ISO text, epoch milliseconds, or a Date. */
export type Time = string | number | Date;

const at = (time: Time) => (time instanceof Date ? time : new Date(time));

const DATE_TIME = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const SHORT = new Intl.DateTimeFormat(LOCALE, {
  ...({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const),
});
const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' });
const CLOCK_SECONDS = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', day: 'numeric', month: 'short' });
const DATE = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'long' });

export const dateTime = (time: Time) => DATE_TIME.format(at(time));
/** 23 Nov 2026, 07:00 UTC: in another zone than the viewer's, which is named. */
export const dateTimeIn = (time: Time, timeZone: string) =>
  new Intl.DateTimeFormat(LOCALE, {
    ...({ day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit' } as const),
    ...({ timeZoneName: 'short', timeZone } as const),
  }).format(at(time));
/** Without the year, if it is this one: for tables with many columns. */
export const shortDateTime = (time: Time) =>
  (at(time).getFullYear() === new Date().getFullYear() ? SHORT : DATE_TIME).format(at(time));
/** With seconds: for titles of relative times and for tables of measurements. */
export const exactTime = (time: Time) => EXACT.format(at(time));
export const clock = (time: Time) => CLOCK.format(at(time));
export const clockSeconds = (time: Time) => CLOCK_SECONDS.format(at(time));
/** Sat, 15 Nov */
export const day = (time: Time) => DAY.format(at(time));
export const date = (time: Time) => DATE.format(at(time));
/** 3 – 14 Nov 2026, or one day */
export const dates = (first: Time, last: Time) => DATE.formatRange(at(first), at(last));

/** The viewer's zone, for operations that aggregate by day. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "5 minutes ago", "in 2 days"; less than a minute is now. */
export function relative(time: Time, now: number): string {
  const seconds = (at(time).getTime() - now) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.trunc(seconds / length), unit);
  }
  return RELATIVE.format(0, 'second');
}

/** The first instant of the viewer's day that contains `time`. */
export function startOfDay(time: Time): Date {
  const start = new Date(at(time));
  start.setHours(0, 0, 0, 0);
  return start;
}

/** `2026-11-15` in the viewer's zone: the value of a date input. */
export function dayKey(time: Time): string {
  const when = at(time);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`;
}
