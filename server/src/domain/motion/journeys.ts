import type { AnyQuery } from '../../platform/storage/database.ts';
import type { StopRow, TripRow } from '../schema/rows/tracking-rows.ts';
import type { Tx } from '../schema/tables.ts';
import type { Stop, Trip } from './motion.ts';

type Decided<T> = T & { readonly decidedAt: number };

/** Stores trips and stops as they end, so that a month of any device can be read in milliseconds. */

export function tripRow(deviceId: number, trip: Decided<Trip>): Omit<TripRow, 'id' | 'track'> {
  const seconds = (trip.end - trip.start) / 1000;
  return {
    deviceId,
    start: trip.start,
    end: trip.end,
    distance: trip.distanceM,
    duration: seconds,
    idle: trip.idleMs / 1000,
    maxSpeed: trip.maxSpeedKmh,
    averageSpeed: seconds > 0 ? (trip.distanceM / seconds) * 3.6 : 0,
    startLocationLat: trip.startLocation.lat,
    startLocationLng: trip.startLocation.lng,
    endLocationLat: trip.endLocation.lat,
    endLocationLng: trip.endLocation.lng,
    startPointId: trip.startPointId,
    endPointId: trip.endPointId,
    decidedAt: trip.decidedAt,
  };
}

export function stopRow(deviceId: number, stop: Decided<Stop>): Omit<StopRow, 'id'> {
  return {
    deviceId,
    start: stop.start,
    end: stop.end,
    duration: (stop.end - stop.start) / 1000,
    locationLat: stop.location.lat,
    locationLng: stop.location.lng,
    decidedAt: stop.decidedAt,
  };
}

/**
 * Replaces everything decided after a time, or between two, by the result of a replay. Trips of that time are packed
 * again: their fixes may differ although their sums are the same. Overlapping trips or stops count as the same one,
 * corrected, and the earliest id is preserved.
 */
export async function correctJourneys(
  tx: Tx,
  deviceId: number,
  after: number,
  found: { trips: readonly Decided<Trip>[]; stops: readonly Decided<Stop>[] },
  until = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await tx
    .updateTable('trips')
    .set({ track: null })
    .where('deviceId', '=', deviceId)
    .where('decidedAt', '>', after)
    .where('decidedAt', '<=', until)
    .where('track', 'is not', null)
    .execute();
  await correct(
    tx,
    'trips',
    deviceId,
    { after, until },
    found.trips.map((trip) => tripRow(deviceId, trip)),
  );
  await correct(
    tx,
    'stops',
    deviceId,
    { after, until },
    found.stops.map((stop) => stopRow(deviceId, stop)),
  );
}

async function correct(
  tx: Tx,
  table: 'trips' | 'stops',
  deviceId: number,
  { after, until }: { readonly after: number; readonly until: number },
  found: (Omit<TripRow, 'id' | 'track'> | Omit<StopRow, 'id'>)[],
): Promise<void> {
  const olds = await tx
    .selectFrom(table)
    .selectAll()
    .where('deviceId', '=', deviceId)
    .where('decidedAt', '>', after)
    .where('decidedAt', '<=', until)
    .orderBy('start')
    .orderBy('id')
    .execute();
  const left = [...olds];
  // Each table gets its own rows, which the union type of both tables cannot express.
  const either: AnyQuery = tx;
  for (const row of found) {
    const index = left.findIndex((old) => old.start <= row.end && old.end >= row.start);
    if (index === -1) await either.insertInto(table).values(row).execute();
    else {
      const [old] = left.splice(index, 1);
      // Usually nothing has changed and nothing is written.
      if (isSame(old!, row)) continue;
      const { deviceId, ...values } = row;
      await either.updateTable(table).set(values).where('deviceId', '=', deviceId).where('id', '=', old!.id).execute();
    }
  }
  if (left.length > 0)
    await tx
      .deleteFrom(table)
      .where(
        'id',
        'in',
        left.map(({ id }) => id),
      )
      .execute();
}

const isSame = (old: object, row: object) =>
  Object.entries(row).every(([column, cell]) => (old as Record<string, unknown>)[column] === cell);
