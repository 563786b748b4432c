import type { Range } from '../../../api/devices.ts';
import { dayKey } from '../../../format/times.ts';
import type { Span } from '../../../map/track/playback.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Noon of a day in the viewer's zone, which clock changes do not affect. Undefined if the text is not a day. */
export function noonOf(key: string | undefined): Date | undefined {
  if (key === undefined || !DAY.test(key)) return undefined;
  const noon = new Date(`${key}T12:00`);
  return dayKeyOf(noon) === key ? noon : undefined;
}
const dayKeyOf = (date: Date) => (Number.isNaN(date.getTime()) ? '' : dayKey(date));

/** Midnight to midnight in the viewer's zone. */
export function spanOf(key: string): Span {
  const from = new Date(`${key}T00:00`);
  const to = new Date(from);
  to.setDate(to.getDate() + 1);
  return { from: from.getTime(), to: to.getTime() };
}

export const rangeOf = ({ from, to }: Span): Range => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

export function dayAfter(key: string, days: number): string {
  const noon = new Date(`${key}T12:00`);
  noon.setDate(noon.getDate() + days);
  return dayKey(noon);
}
