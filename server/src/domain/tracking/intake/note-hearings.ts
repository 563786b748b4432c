import type { Kysely } from 'kysely';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import { isHearing } from '../../stored-readings/hearing.ts';
import { heardByGateway, notePlaces, placeDueAt, SETTLE_MS, type TouchedPlace } from '../state/place-due.ts';
import type { DeviceBatch } from './device-batch.ts';

interface Noting {
  readonly now: number;
  /** What was heard before that is not judged any more. */
  readonly tooOld: number;
  /** The newest time that was stored of each device before the batch. */
  readonly newestBefore: ReadonlyMap<number, number>;
}

/** Notes which tags are to be placed anew: those that were heard, and those whose own fixes or gateways came late. */
export async function noteHearings(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  devices: ReadonlyMap<number, DeviceBatch>,
  { now, tooOld, newestBefore }: Noting,
): Promise<void> {
  const touched: TouchedPlace[] = [];
  for (const { deviceId, readings, points, stateRow } of devices.values()) {
    for (const reading of readings) {
      if (!isHearing(reading) || reading.timestamp < tooOld) continue;
      const { deviceId: tagId, timestamp } = reading;
      const placedUntil = devices.get(tagId!)?.stateRow.placedUntil ?? null;
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
    if (from <= to) touched.push(...(await heardByGateway(tx, storeKind, deviceId, { from, to, dueAt })));
  }
  if (touched.length > 0) await notePlaces(tx, storeKind, touched);
}
