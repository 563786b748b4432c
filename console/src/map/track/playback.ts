/** The fixes of a track, and the playback of a day. */

export interface Fix {
  /** Epoch ms. */
  readonly at: number;
  readonly lng: number;
  readonly lat: number;
  readonly speedKmh: number | null;
  /** Degrees clockwise from north. */
  readonly course: number | null;
}

/** A time range, epoch ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The index of the last fix at or before an instant; -1 before the first. */
export function indexAt(fixes: readonly Fix[], at: number): number {
  let low = 0;
  let high = fixes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fixes[middle]!.at <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A longer gap between two fixes says nothing about the movement between them. */
export const GAP_MS = 10 * 60_000;

/** The position at an instant, interpolated between two fixes. Undefined only without any fix. */
export function positionAt(fixes: readonly Fix[], at: number): Fix | undefined {
  const index = indexAt(fixes, at);
  const before = fixes[Math.max(0, index)];
  const after = fixes[index + 1];
  if (before === undefined || index < 0 || after === undefined) return before;
  const length = after.at - before.at;
  if (length <= 0 || length > GAP_MS) return before;
  const part = (at - before.at) / length;
  return {
    at,
    lng: before.lng + (after.lng - before.lng) * part,
    lat: before.lat + (after.lat - before.lat) * part,
    speedKmh: before.speedKmh,
    course: headingOf(before, after),
  };
}

/** The heading: as reported, else towards the next fix. */
function headingOf(before: Fix, after: Fix): number | null {
  if (before.course !== null) return before.course;
  const east = (after.lng - before.lng) * Math.cos((before.lat * Math.PI) / 180);
  const north = after.lat - before.lat;
  if (Math.abs(east) + Math.abs(north) < 1e-7) return null;
  return ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360;
}

/** Playback time of a stop, however long it was. */
const STOP_SHOWN_MS = 900;

/**
 * The instant shown after `elapsedMs` of playback. Trips are played `rate` times faster than real time; the time
 * between them is skipped quickly.
 */
export function advance(at: number, elapsedMs: number, rate: number, trips: readonly Span[], day: Span): number {
  const trip = trips.find(({ from, to }) => at >= from && at < to);
  if (trip) return Math.min(at + elapsedMs * rate, trip.to);
  const next = trips.find(({ from }) => from > at);
  // Nothing is left to show after the last trip.
  if (next === undefined) return day.to;
  const previous = trips.findLast(({ to }) => to <= at);
  const stopMs = next.from - (previous?.to ?? day.from);
  const pace = Math.max(rate, stopMs / STOP_SHOWN_MS);
  return Math.min(at + elapsedMs * pace, next.from);
}
