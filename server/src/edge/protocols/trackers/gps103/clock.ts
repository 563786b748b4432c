import { epochOfWallTime, type WallTime } from '../wall-time.ts';

export interface ReportMoment {
  readonly timestamp?: number;
  /** By how much the device's clock is ahead of UTC, where the report tells it. */
  readonly offsetMinutes?: number;
}

const HALF_DAY_MINUTES = 720;
const DAY_MINUTES = 1440;

/** `yymmddhhmm`, with seconds or not, with separators or not. */
export function localTimeOf(text: string | undefined): WallTime | undefined {
  const pattern = /^(\d\d)\/?(\d\d)\/?(\d\d) ?(\d\d):?(\d\d):?(\d\d)?$/;
  const [, year, month, day, hour, minute, second = '0'] = pattern.exec(text?.trim() ?? '') ?? [];
  if (minute === undefined) return undefined;
  return {
    year: 2000 + Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
}

/**
 * The date is told by the device's own clock, the time of day by UTC as well: their difference is the zone of the clock,
 * which is more than 12 hours behind nobody's.
 */
export function momentOf(local: WallTime | undefined, utc: string | undefined, timeZone?: string): ReportMoment {
  if (!local) return {};
  const [, hour, minute, second] = /^(\d\d)(\d\d)(\d\d)(?:\.\d*)?$/.exec(utc?.trim() ?? '') ?? [];
  if (hour === undefined) return { timestamp: epochOfWallTime(local, timeZone) };
  const asUtc = epochOfWallTime({ ...local, second: 0 });
  if (asUtc === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return {};
  const difference = (local.hour - Number(hour)) * 60 + local.minute - Number(minute);
  const offsetMinutes =
    difference <= -HALF_DAY_MINUTES
      ? difference + DAY_MINUTES
      : difference > HALF_DAY_MINUTES
        ? difference - DAY_MINUTES
        : difference;
  return { timestamp: asUtc - offsetMinutes * 60_000 + Number(second) * 1000, offsetMinutes };
}

/** Zones are told in quarters of an hour; what is between is the device's clock being wrong. */
export function zoneOf(offsetMinutes: number): string {
  const rounded = Math.round(offsetMinutes / 15) * 15;
  const [hours, minutes] = [Math.floor(Math.abs(rounded) / 60), Math.abs(rounded) % 60];
  return `${rounded < 0 ? '-' : '+'}${`${hours}`.padStart(2, '0')}:${`${minutes}`.padStart(2, '0')}`;
}
