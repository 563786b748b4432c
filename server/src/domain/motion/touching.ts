import type { Cell } from '../../platform/storage/shape.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { type DayTrip, daysIn, isDivided } from './days.ts';
import { isPacked } from './trip-track.ts';

/** Trips and stops that overlap a range, in order. */

/** Maximum duration of a trip, so that one that starts earlier cannot overlap a range. */
const LONGEST_MS = 60 * 86_400_000;
const MOST = 10_000;

export interface TouchedRange {
  readonly deviceId: number;
  readonly from: number;
  readonly to: number;
}

type Preparing = Pick<Workplace<Tables>, 'prepare'>;

/** @param name of the prepared statement */
export function touchingReader<R>(
  workplace: Preparing,
  name: string,
  table: 'trips' | 'stops',
  columns: readonly string[],
  limit = MOST,
): (range: TouchedRange) => Promise<R[]> {
  const rows = workplace.prepare<R>(name, touchingSql(table, columns, limit));
  const cellsOf = touchingCells(workplace, table);
  return async (range) => rows.all(...(await cellsOf(range)));
}

export function touchingSql(table: 'trips' | 'stops', columns: readonly string[], limit = MOST): string {
  const listed = columns.map((column) => `"${column}"`).join(', ');
  return `SELECT ${listed} FROM "${table}" WHERE "deviceId" = ? AND "start" >= ? AND "start" <= ? AND "end" >= ? ORDER BY "start", "id" LIMIT ${limit}`;
}

/**
 * The parameters of `touchingSql`. The trips and stops of a device do not overlap: only the last one that starts before
 * the range can extend into it. Reading the others would be wasted, since no index contains their ends.
 */
export function touchingCells(workplace: Preparing, table: 'trips' | 'stops') {
  const last = workplace.prepare<{ start: number }>(
    `${table}.lastBefore`,
    `SELECT "start" FROM "${table}" WHERE "deviceId" = ? AND "start" < ? AND "start" >= ? ORDER BY "start" DESC LIMIT 1`,
  );
  return async ({ deviceId, from, to }: TouchedRange): Promise<Cell[]> => {
    const before = await last.get(deviceId, from, from - LONGEST_MS);
    return [deviceId, before?.start ?? from, to, from];
  };
}

/**
 * Adds the packed tracks to trips that cross midnight or the edge of the range, to divide their sums. Few trips do, so
 * tracks are not read with all of them.
 */
export function dividedTrips(workplace: Pick<Workplace<Tables>, 'prepare'>) {
  const statement = workplace.prepare<{ track: string | null }>(
    'days.track',
    'SELECT "track" FROM "trips" WHERE "deviceId" = ? AND "start" = ? AND "end" = ? AND "track" IS NOT NULL LIMIT 1',
  );
  return async (trips: readonly DayTrip[], tz: string, range: TouchedRange): Promise<DayTrip[]> => {
    const dayAt = daysIn(tz);
    const detailed: DayTrip[] = [];
    for (const trip of trips) {
      const row = isDivided(trip, dayAt, range) ? await statement.get(range.deviceId, trip.start, trip.end) : undefined;
      detailed.push(row?.track && isPacked(row.track) ? { ...trip, track: row.track } : trip);
    }
    return detailed;
  };
}
