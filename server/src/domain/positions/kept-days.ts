import { DAY_MS, startOfDay } from './segments.ts';

/** For how many days what devices report is stored; 0 is forever. */
export interface KeptDays {
  readonly positions: number;
  readonly readings: number;
}

export const FOREVER: KeptDays = { positions: 0, readings: 0 };

/**
 * Before when things are forgotten that are stored for some days: whole days are (UTC), so that each device is looked at
 * once a day. The fewest days count.
 */
export function cutOf(now: number, ...days: readonly (number | null)[]): number | undefined {
  const fewest = days.reduce<number>((least, one) => (one ? Math.min(least, one) : least), Number.POSITIVE_INFINITY);
  return Number.isFinite(fewest) ? startOfDay(now - fewest * DAY_MS) : undefined;
}
