import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { Tables } from '../schema/tables.ts';
import { newestReading } from './newest-reading.ts';
import { insertReadingSegments, takeReadingSegments } from './pack-readings.ts';
import { isOf, openReadings } from './reading-segments.ts';
import type { ReadingScope } from './stored-reading.ts';

/**
 * Forgets readings of a device from before a time. The newest of each type stays, packed or not: it is what is known of
 * the device now.
 */

type Tx = Kysely<Tables>;

/** Those about the device, and those that it told about nobody. */
const forgottenOf = (deviceId: number): readonly ReadingScope[] => [
  { deviceId },
  { gatewayId: deviceId, deviceId: null },
];

function newestOf(tx: Tx, storeKind: StoreKind, scope: ReadingScope) {
  const known = new Map<string, number | undefined>();
  return async (type: string): Promise<number | undefined> => {
    if (!known.has(type)) known.set(type, (await newestReading(tx, storeKind, scope, type))?.id);
    return known.get(type);
  };
}

/** Forgets what is old of one segment; how many readings those were. */
export async function forgetPackedReadings(
  tx: Tx,
  storeKind: StoreKind,
  deviceId: number,
  cut: number,
): Promise<number> {
  for (const scope of forgottenOf(deviceId)) {
    const newest = newestOf(tx, storeKind, scope);
    const old = await tx
      .selectFrom('readingSegments')
      .select('id')
      .where(isOf(scope))
      .where('first', '<', cut)
      .orderBy('first')
      .execute();
    // At most as many as there are types have nothing but what stays.
    for (const { id } of old) {
      const segment = tx.selectFrom('readingSegments').select(['gatewayId', 'deviceId', 'data']).where('id', '=', id);
      const found = await segment.executeTakeFirst();
      if (found === undefined) continue;
      const stays = new Set<number>();
      const readings = openReadings(found, ['type']);
      for (const reading of readings)
        if (reading.timestamp >= cut || (await newest(reading.type)) === reading.id) stays.add(reading.id);
      if (stays.size === readings.length) continue;
      const taken = await takeReadingSegments(tx, [{ id }]);
      await insertReadingSegments(
        tx,
        found,
        taken.filter((reading) => stays.has(reading.id)),
      );
      return taken.length - stays.size;
    }
  }
  return 0;
}

/** Rows from before a time that are the newest of their type only because a newer one is packed. */
export async function olderThanPacked(tx: Tx, storeKind: StoreKind, deviceId: number, cut: number): Promise<number[]> {
  const ids: number[] = [];
  for (const scope of forgottenOf(deviceId)) {
    const newest = newestOf(tx, storeKind, scope);
    const isPacked = await tx.selectFrom('readingSegments').select('id').where(isOf(scope)).limit(1).executeTakeFirst();
    if (isPacked === undefined) continue;
    const left = await tx
      .selectFrom('gatewayReadings')
      .select(['id', 'type'])
      .where(isOf(scope))
      .where('timestamp', '<', cut)
      .limit(500)
      .execute();
    for (const { id, type } of left) if ((await newest(type)) !== id) ids.push(id);
  }
  return ids;
}
