import type { Kysely } from 'kysely';
import { isSighting } from '../../positions/stored-reading.ts';
import type { Tables } from '../../schema/tables.ts';
import type { DeviceBatch } from '../report/device-batch.ts';
import { notePlaces, placeDueAt, SETTLE_MS, sightedByGateway, type TouchedPlace } from '../state/place-due.ts';

interface Noting {
  readonly now: number;
  /** Earlier sightings are not judged any more. */
  readonly tooOld: number;
  /** The newest time that was stored of each device before the batch. */
  readonly newestBefore: ReadonlyMap<number, number>;
  /** Whether the rows of a device are at another server. */
  readonly isElsewhere?: (deviceId: number) => boolean;
}

/** A place to evaluate again, of a device on another server than its gateway. */
export interface PlaceElsewhere extends TouchedPlace {
  readonly gatewayId: number;
}

/**
 * Records the tags to locate again: tags with new sightings, and tags whose own fixes or gateways came late.
 * @returns what must be recorded on other servers
 */
export async function noteSightings(
  tx: Kysely<Tables>,
  devices: ReadonlyMap<number, DeviceBatch>,
  { now, tooOld, newestBefore, isElsewhere = () => false }: Noting,
): Promise<PlaceElsewhere[]> {
  const touched: TouchedPlace[] = [];
  const elsewhere: PlaceElsewhere[] = [];
  for (const { deviceId, readings, points, stateRow } of devices.values()) {
    for (const reading of readings) {
      if (!isSighting(reading) || reading.timestamp < tooOld) continue;
      const { deviceId: tagId, timestamp } = reading;
      const tag = devices.get(tagId!);
      // One of another server is noted when its readings are evaluated.
      if (tag === undefined) continue;
      const { placedUntil } = tag.stateRow;
      touched.push({ deviceId: tagId!, at: timestamp, dueAt: placeDueAt(timestamp, now, placedUntil) });
    }
    if (points.length === 0) continue;
    const { placedUntil } = stateRow;
    const newest = newestBefore.get(deviceId) ?? Number.NEGATIVE_INFINITY;
    const dueAt = now + SETTLE_MS;
    let from = Number.POSITIVE_INFINITY;
    let to = Number.NEGATIVE_INFINITY;
    for (const { timestamp, locationLat } of points) {
      if (locationLat === null || timestamp < tooOld) continue;
      // Where it says itself where it was, what gateways make of it does not count.
      if (placedUntil !== null && timestamp <= placedUntil) touched.push({ deviceId, at: timestamp, dueAt });
      if (timestamp > newest) continue;
      from = Math.min(from, timestamp);
      to = Math.max(to, timestamp);
    }
    if (from > to) continue;
    for (const place of await sightedByGateway(tx, deviceId, { from, to, dueAt }))
      if (isElsewhere(place.deviceId)) elsewhere.push({ ...place, gatewayId: deviceId });
      else touched.push(place);
  }
  if (touched.length > 0) await notePlaces(tx, touched);
  return elsewhere;
}
