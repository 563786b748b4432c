import type { Kysely } from 'kysely';
import type { SegmentRow } from '../schema/rows/tracking-rows.ts';
import type { Tables } from '../schema/tables.ts';
import { type PackedPosition, packPositions } from './packed-positions.ts';

/** Segments: positions of a device, packed into one row for a day. */

export const DAY_MS = 86_400_000;
export const startOfDay = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;
/** A day with more positions has several segments, so that one is soon opened. */
const MOST_IN_SEGMENT = 10_000;

type NewSegment = Omit<SegmentRow, 'id' | 'data'> & { readonly data: Uint8Array };

/** @param rows positions of one day, in the order of time and ids. All positions of one time are in one segment. */
export function segmentsOf(deviceId: number, rows: readonly PackedPosition[]): NewSegment[] {
  const segments: NewSegment[] = [];
  for (let start = 0; start < rows.length; ) {
    let end = Math.min(start + MOST_IN_SEGMENT, rows.length);
    while (end < rows.length && rows[end]!.timestamp === rows[end - 1]!.timestamp) end += 1;
    segments.push(segmentOf(deviceId, rows.slice(start, end)));
    start = end;
  }
  return segments;
}

function segmentOf(deviceId: number, rows: readonly PackedPosition[]): NewSegment {
  const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const ids = rows.map(({ id }) => id);
  const created = rows.map((row) => row.created);
  const placed = rows.filter(({ locationLat }) => locationLat !== null);
  const lats = placed.map(({ locationLat }) => locationLat!);
  const lngs = placed.map(({ locationLng }) => locationLng!);
  const hasPlace = placed.length > 0;
  return {
    deviceId,
    firstAt: rows[0]!.timestamp,
    lastAt: rows.at(-1)!.timestamp,
    count: rows.length,
    lowId: least(ids),
    highId: most(ids),
    firstReceivedAt: least(created),
    lastReceivedAt: most(created),
    south: hasPlace ? least(lats) : null,
    west: hasPlace ? least(lngs) : null,
    north: hasPlace ? most(lats) : null,
    east: hasPlace ? most(lngs) : null,
    data: packPositions(rows),
  };
}

/**
 * The segments of a device that reach into a range of time, both ends inclusive; in no order. One is of a day, so none begins
 * before the day of the first moment: with both ends of their beginnings said, only few of them are looked at, and few
 * parts of the table.
 */
export const segmentsWithin = (
  query: Kysely<Tables>,
  deviceId: number,
  { from, to }: { readonly from: number; readonly to: number },
) =>
  query
    .selectFrom('positionSegments')
    .where('deviceId', '=', deviceId)
    .where('firstAt', '<=', to)
    .where('firstAt', '>=', earliestOf(from))
    .where('lastAt', '>=', from);

/** When a segment begins at the earliest that reaches to a moment. */
export const earliestOf = (at: number) => Math.max(startOfDay(at), Number.MIN_SAFE_INTEGER);

export const hasSegments = async (
  query: Kysely<Tables>,
  deviceId: number,
  span: { readonly from: number; readonly to: number },
): Promise<boolean> =>
  (await segmentsWithin(query, deviceId, span).select('firstAt').limit(1).executeTakeFirst()) !== undefined;

/** Segments of a device that may contain positions received in a range of time. */
export const receivedSegments = (
  query: Kysely<Tables>,
  deviceId: number,
  { since, until }: { readonly since: number; readonly until: number },
) =>
  query
    .selectFrom('positionSegments')
    .select(['firstAt', 'firstReceivedAt'])
    .where('deviceId', '=', deviceId)
    .where('firstReceivedAt', '<=', until)
    .where('lastReceivedAt', '>', since)
    .orderBy('firstReceivedAt');

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
