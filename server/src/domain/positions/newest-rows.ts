import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { StoredPosition } from './packed-positions.ts';

/**
 * Queries for the current places of devices read rows only. So the newest position stays a row, and also the newest one
 * with a location and all positions after it.
 */

/** The times of the newest positions of a device: of all, of those with a place, of those whose place is not wrong. */
type NewestTimes = readonly [any: number, placed: number, valid: number];

const NONE = Number.NEGATIVE_INFINITY;

const newestRow = (query: Kysely<Tables>, deviceId: number) =>
  query.selectFrom('points').select('timestamp').where('deviceId', '=', deviceId).orderBy('timestamp', 'desc').limit(1);

export async function newestRows(query: Kysely<Tables>, deviceId: number): Promise<NewestTimes> {
  const placed = newestRow(query, deviceId).where('locationLat', 'is not', null);
  const valid = placed.where('locationType', '!=', 'invalid');
  const found = [
    await newestRow(query, deviceId).executeTakeFirst(),
    await placed.executeTakeFirst(),
    await valid.executeTakeFirst(),
  ];
  return found.map((one) => one?.timestamp ?? NONE) as unknown as NewestTimes;
}

/** The same where some positions come in addition. */
export function newestWith(
  [any, placed, valid]: NewestTimes,
  more: readonly Pick<StoredPosition, 'timestamp' | 'locationLat' | 'locationType'>[],
): NewestTimes {
  let newest: [number, number, number] = [any, placed, valid];
  for (const { timestamp, locationLat, locationType } of more) {
    const isPlaced = locationLat !== null;
    newest = [
      Math.max(newest[0], timestamp),
      isPlaced ? Math.max(newest[1], timestamp) : newest[1],
      isPlaced && locationType !== 'invalid' ? Math.max(newest[2], timestamp) : newest[2],
    ];
  }
  return newest;
}

/** Positions from this time on stay rows. */
export const staysRowFrom = (newest: NewestTimes): number =>
  Math.min(...newest.map((at) => (at === NONE ? Number.MAX_SAFE_INTEGER : at)));
