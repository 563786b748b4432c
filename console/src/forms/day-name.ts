import { date, day, dayKey, type Time } from '../format/times.ts';
import { t } from '../texts/t.ts';

const DAY_MS = 86_400_000;

/** "Today", "Yesterday", "Sat 15 Nov"; with the year if it is not the current one. */
export function dayName(time: Time, now: number): string {
  const key = dayKey(time);
  if (key === dayKey(now)) return t.notifications.today;
  if (key === dayKey(now - DAY_MS)) return t.notifications.yesterday;
  return key.slice(0, 4) === dayKey(now).slice(0, 4) ? day(time) : date(time);
}
