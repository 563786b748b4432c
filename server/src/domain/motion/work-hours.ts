import { momentOfWall } from '../../platform/wall-clock.ts';

/** Daily hours in local time, on some days of the week. */
export interface WorkHours {
  /** Minutes since midnight. An end before the start is on the next day. */
  readonly from: number;
  readonly to: number;
  /** 0 is Sunday. */
  readonly days: readonly number[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The first day of the epoch was a Thursday. */
const THURSDAY = 4;

/** When the hours begin and end within a range, in their order. */
export function workSpans(hours: WorkHours, tz: string, range: { readonly from: number; readonly to: number }) {
  const spans: { from: number; to: number }[] = [];
  const lastDay = Math.ceil(range.to / DAY_MS) + 1;
  for (let day = Math.floor(range.from / DAY_MS) - 2; day <= lastDay; day++) {
    if (!hours.days.includes((day + THURSDAY) % 7)) continue;
    const midnight = day * DAY_MS;
    const from = momentOfWall(tz, midnight + hours.from * MINUTE_MS);
    const to = momentOfWall(tz, midnight + hours.to * MINUTE_MS + (hours.to <= hours.from ? DAY_MS : 0));
    if (to > range.from && from < range.to) spans.push({ from, to });
  }
  return spans;
}
