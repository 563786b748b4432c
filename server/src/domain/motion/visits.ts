import type { Place } from '../../platform/sphere.ts';
import { momentOfWall } from '../../platform/times.ts';
import type { ActivityTrip, Span } from './activity.ts';
import { unpackTrack } from './trip-track.ts';

/** The positions of a device over time, and its visits. Pure. */

/** A position from a time on. */
export interface PlaceSince {
  readonly at: number;
  readonly place: Place;
}

/** The known positions of a device. */
export interface DevicePath {
  /** All trips that overlap the range, with their tracks, and the last one before, in order. */
  readonly trips: readonly ActivityTrip[];
  /** Its resting places, from the last one before the range on. */
  readonly rests: readonly PlaceSince[];
  /** Its first fix in the range. */
  readonly first?: PlaceSince;
}

/** The positions of a device in order of time: each fix during trips, otherwise its resting places. */
export function* momentsOf({ trips, rests, first }: DevicePath): Generator<PlaceSince> {
  let next = 0;
  const firstKnown = Math.min(trips[0]?.start ?? Number.POSITIVE_INFINITY, rests[0]?.at ?? Number.POSITIVE_INFINITY);
  if (first !== undefined && firstKnown > first.at) yield first;
  for (const trip of trips) {
    while (next < rests.length && rests[next]!.at < trip.start) yield rests[next++]!;
    const fixes = typeof trip.track === 'string' ? unpackTrack(trip.track, trip.start) : trip.track;
    for (let index = 0; index < (fixes?.count ?? 0); index++)
      yield { at: fixes!.at[index]!, place: { lat: fixes!.lat[index]!, lng: fixes!.lng[index]! } };
    // No rest begins within a trip.
    while (next < rests.length && rests[next]!.at < trip.end) next++;
    yield { at: trip.end, place: trip.endLocation };
  }
  while (next < rests.length) yield rests[next++]!;
}

/**
 * Of several positions at the same time, the last: the mean of a rest is more accurate than the end of the trip to it.
 */
function* lastOfEach(moments: Iterable<PlaceSince>): Generator<PlaceSince> {
  let last: PlaceSince | undefined;
  for (const moment of moments) {
    if (last !== undefined && moment.at > last.at) yield last;
    last = moment;
  }
  if (last !== undefined) yield last;
}

interface Visit {
  /** What it visited. */
  readonly key: number;
  readonly start: number;
  readonly end: number;
  /** Whether it entered at the start and left at the end, rather than being there before and after. */
  readonly entered: boolean;
  readonly left: boolean;
}

/**
 * The visits of a device according to `insideAt`, within a range: each from the first moment inside to the first one
 * outside, in order of their start.
 */
export function visitsOf(
  moments: Iterable<PlaceSince>,
  { from, to }: Span,
  insideAt: (place: Place) => readonly number[],
): Visit[] {
  const visits: Visit[] = [];
  const open = new Map<number, { since: number; entered: boolean }>();
  let isFirst = true;
  const end = (key: number, at: number, left: boolean) => {
    const { since, entered } = open.get(key)!;
    open.delete(key);
    const start = Math.max(since, from);
    if (at > start) visits.push({ key, start, end: at, entered: entered && since >= from, left });
  };
  for (const { at, place } of lastOfEach(moments)) {
    if (at >= to) break;
    const inside = insideAt(place);
    if (open.size > 0) for (const key of [...open.keys()]) if (!inside.includes(key)) end(key, at, true);
    for (const key of inside) if (!open.has(key)) open.set(key, { since: at, entered: !isFirst });
    isFirst = false;
  }
  for (const key of [...open.keys()]) end(key, to, false);
  return visits.sort((a, b) => a.start - b.start || a.key - b.key);
}

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

/** The start and end of the hours within a range, in order. */
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
