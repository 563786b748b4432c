import { RecentMap } from '../../platform/caches.ts';
import { stepsM } from '../../platform/sphere.ts';
import { invalidField } from '../../refusals.ts';
import { type TripTrack, unpackTrack } from './trip-track.ts';

/** The fields of a stored trip that day sums need; times are epoch milliseconds, distance metres, idle seconds. */
export interface DayTrip {
  readonly start: number;
  readonly end: number;
  readonly distance: number;
  readonly idle: number;
  readonly maxSpeed: number;
  /** Packed; needed only for a trip that is divided. */
  readonly track?: string;
}

export interface DaySummary {
  day: string;
  trips: number;
  distance: number;
  duration: number;
  idle: number;
  maxSpeed: number;
}

/**
 * Sums per day in a time zone. A trip over midnight counts in each day with its part of the track, or by its share of
 * the time if the track is unknown.
 */
export function summarize(trips: readonly DayTrip[], tz: string, range: { from: number; to: number }): DaySummary[] {
  const boundsOf = daysIn(tz);
  const days = new Map<string, DaySummary>();
  for (const trip of trips) {
    const isByTrack = trip.track !== undefined && isDivided(trip, boundsOf, range);
    const sharesBefore = isByTrack ? trackShares(trip, trip.track!) : evenShares(trip);
    let start = Math.max(trip.start, range.from);
    let before = sharesBefore(start);
    while (start < Math.min(trip.end, range.to)) {
      const { day, end: endOfDay } = boundsOf(start);
      const end = Math.min(endOfDay, trip.end, range.to);
      const until = sharesBefore(end);
      const sum = days.get(day) ?? { day, trips: 0, distance: 0, duration: 0, idle: 0, maxSpeed: 0 };
      sum.trips += 1;
      sum.distance += trip.distance * (until.way - before.way);
      sum.duration += (end - start) / 1000;
      sum.idle += trip.idle * (until.idle - before.idle);
      sum.maxSpeed = Math.max(sum.maxSpeed, trip.maxSpeed);
      days.set(day, sum);
      start = end;
      before = until;
    }
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** Whether a trip crosses midnight, or the edge of a range, and touches the range. */
export function isDivided(
  { start, end }: Pick<DayTrip, 'start' | 'end'>,
  dayAt: (at: number) => Day,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  if (end <= from || start >= to) return false;
  return start < from || end > to || dayAt(start).end < end;
}

interface Day {
  readonly day: string;
  readonly from: number;
  /** The start of the next day. */
  readonly end: number;
}

/** The day of a moment. Cached, because trips come in order, and finding the end of a day is expensive. */
export function daysIn(tz: string): (at: number) => Day {
  const dayOf = dayIn(tz);
  let last: Day | undefined;
  return (at) => {
    if (last === undefined || at < last.from || at >= last.end)
      last = { day: dayOf(at), from: at, end: dayAfter(dayOf, at, last?.end) ?? endOfDay(dayOf, at) };
    return last;
  };
}

export const requireTimeZone = (tz: string): void => void dayIn(tz);

/** Creating a formatter for a time zone takes longer than formatting the days of a month. */
const known = new RecentMap<string, (at: number) => string>(100);

/** Rejects an unknown time zone. */
function dayIn(tz: string): (at: number) => string {
  const made = known.get(tz) ?? newDayIn(tz);
  known.set(tz, made);
  return made;
}

function newDayIn(tz: string): (at: number) => string {
  try {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: tz,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    return (at) => format.format(at);
  } catch {
    throw invalidField('query', 'tz', 'inclusion', 'must be the name of a time zone, such as Europe/Berlin');
  }
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The start of the next day, if all days from an earlier midnight on have 24 hours, as nearly all do; else undefined.
 */
function dayAfter(dayOf: (at: number) => string, at: number, midnight: number | undefined): number | undefined {
  if (midnight === undefined || at < midnight) return undefined;
  const end = midnight + (Math.floor((at - midnight) / DAY_MS) + 1) * DAY_MS;
  return dayOf(end - 1) === dayOf(at) && dayOf(end) !== dayOf(at) ? end : undefined;
}

/** The start of the next day. Days have 23 to 25 hours, so it is searched for rather than added. */
function endOfDay(dayOf: (at: number) => string, at: number): number {
  const day = dayOf(at);
  let [inside, outside] = [at, at + 26 * HOUR_MS];
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (dayOf(middle) === day) inside = middle;
    else outside = middle;
  }
  return outside;
}

/** The share of a trip before a time: of its distance, and of its idle time, each from 0 to 1. */
interface TripShares {
  readonly way: number;
  readonly idle: number;
}
type SharesBefore = (at: number) => TripShares;

interface TimedTrip {
  readonly start: number;
  readonly end: number;
}

/** Assumes a uniform trip, if its track is unknown. */
function evenShares({ start, end }: TimedTrip): SharesBefore {
  const lengthMs = Math.max(1, end - start);
  return (at) => {
    const share = (at - start) / lengthMs;
    return { way: share, idle: share };
  };
}

/**
 * According to the fixes of a trip, uniform between them.
 * @param packed a text where `isPacked` is true
 */
function trackShares(trip: TimedTrip, packed: string): SharesBefore {
  const track = unpackTrack(packed, trip.start);
  if (track.count < 2) return evenShares(trip);
  const metres = stepsM(track.lat, track.lng, track.count);
  const all = sumsBefore(track, metres, trip.end);
  const even = evenShares(trip);
  return (at) => {
    const sums = sumsBefore(track, metres, at);
    return {
      way: all.way > 0 ? sums.way / all.way : even(at).way,
      idle: all.idle > 0 ? sums.idle / all.idle : even(at).idle,
    };
  };
}

function sumsBefore({ count, at, moved }: TripTrack, metres: ArrayLike<number>, moment: number): TripShares {
  let [way, idle] = [0, 0];
  for (let index = 1; index < count && at[index - 1]! < moment; index++) {
    const lengthMs = at[index]! - at[index - 1]!;
    const share = lengthMs > 0 ? Math.min(1, (moment - at[index - 1]!) / lengthMs) : 1;
    way += metres[index]! * share;
    if (moved[index] !== 1) idle += lengthMs * share;
  }
  return { way, idle };
}
