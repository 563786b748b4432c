import type { Place } from '../../platform/sphere.ts';
import type { ActivityTrip, Span } from './activity.ts';
import { unpackTrack } from './trip-track.ts';

/** When a device was where, and what it visited. Pure. */

/** From this moment on it is there. */
export interface PlaceSince {
  readonly at: number;
  readonly place: Place;
}

/** What is known of where a device was. */
export interface DevicePath {
  /** All trips that overlap the range, with their tracks, and the last one before, in their order. */
  readonly trips: readonly ActivityTrip[];
  /** Where it rested, from the last before the range on. */
  readonly rests: readonly PlaceSince[];
  /** Its first fix in the range. */
  readonly first?: PlaceSince;
}

/** Where a device was, one moment after the other: fix by fix while it was under way, else where it rested. */
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

/** Of what is said of one moment, the last: the mean of a rest is known better than where the trip to it ended. */
function* lastOfEach(moments: Iterable<PlaceSince>): Generator<PlaceSince> {
  let last: PlaceSince | undefined;
  for (const moment of moments) {
    if (last !== undefined && moment.at > last.at) yield last;
    last = moment;
  }
  if (last !== undefined) yield last;
}

export interface Visit {
  /** What it visited. */
  readonly key: number;
  readonly start: number;
  readonly end: number;
  /** Whether it came in at the start, and went out at the end, rather than being there before and after. */
  readonly entered: boolean;
  readonly left: boolean;
}

/**
 * The stays of a device at what `insideAt` says of a place, within a range: each from the first moment inside to the first
 * one outside, in the order of their start.
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
