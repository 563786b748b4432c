import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import type { Tables } from '../schema/tables.ts';
import { type DaySummary, type DayTrip, summarize } from './days.ts';
import { dividedTrips, type TouchedRange, touchingReader } from './touching.ts';

interface DaysWanted extends TouchedRange {
  readonly tz: string;
}

const COLUMNS = ['start', 'end', 'distance', 'idle', 'maxSpeed'] satisfies (keyof DayTrip)[];

/** The sums per day of many trips. */
export const summarizeDays = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, { tz, ...range }: DaysWanted): Promise<DaySummary[]> => {
    const found = await touchingReader<DayTrip>(workplace, 'days.trips', 'trips', COLUMNS)(range);
    return summarize(await dividedTrips(workplace)(found, tz, range), tz, range);
  },
);
