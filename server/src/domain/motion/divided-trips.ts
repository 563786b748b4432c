import type { Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { type DayTrip, daysIn, isDivided } from './days.ts';
import type { TouchedRange } from './touching.ts';
import { isPacked } from './trip-track.ts';

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
