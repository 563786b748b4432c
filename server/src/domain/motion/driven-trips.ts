import { trip } from '@trackway/contract/resources/trip.ts';
import { columnsOf, presentRow, type Row } from '../../platform/storage/shape.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Tables } from '../schema/tables.ts';
import { drivenBy, shiftReader } from '../vehicles/read-shifts.ts';
import { type TouchedRange, touchingReader } from './touching.ts';

export const TRIP_SHAPE = shapeOf(trip);

interface DrivenTripsWanted extends TouchedRange {
  readonly now: number;
}

/** Many trips with their drivers, as JSON. */
export const manyDrivenTrips = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, wanted: DrivenTripsWanted): Promise<string> => {
    const trips = touchingReader<Row>(workplace, 'trips.many', 'trips', TRIP_SHAPE.flatMap(columnsOf));
    return JSON.stringify(await drivenTrips(workplace)(await trips(wanted), wanted));
  },
);

/** Trips of a device in the API format, with their drivers according to the currently known sign-ons. */
export function drivenTrips(workplace: Workplace<Tables>) {
  const shiftsOf = shiftReader(workplace);
  return async (rows: readonly Row[], { deviceId, now }: { readonly deviceId: number; readonly now: number }) => {
    const [from, to] = [Number(rows[0]?.start), Math.max(...rows.map(({ end }) => Number(end)))];
    const shifts = rows.length === 0 ? undefined : await shiftsOf(deviceId, from, to, now);
    return rows.map((row) =>
      Object.assign(presentRow(TRIP_SHAPE, row), drivenBy(shifts!, Number(row.start), Number(row.end))),
    );
  };
}
