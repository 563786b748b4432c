import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { insertReadingSegments, takeReadingSegments } from './pack-readings.ts';
import { isOf, newestReading, openReadings } from './reading-segments.ts';
import { keeperOf, type ReadingScope } from './stored-reading.ts';

/**
 * Forgets readings of a device from before a time. The newest of each type stays, packed or not: it is what is known of
 * the device now.
 */

type Tx = Kysely<Tables>;

/** Readings about the device, and its readings about unknown devices. */
const forgottenOf = (deviceId: number): readonly ReadingScope[] => [
  { deviceId },
  { gatewayId: deviceId, deviceId: null },
];

function newestOf(tx: Tx, scope: ReadingScope) {
  const known = new Map<string, number | undefined>();
  return async (type: string): Promise<number | undefined> => {
    if (!known.has(type)) known.set(type, (await newestReading(tx, scope, type))?.id);
    return known.get(type);
  };
}

/** Forgets what is old of one segment; how many readings those were. */
export async function forgetPackedReadings(tx: Tx, deviceId: number, cut: number): Promise<number> {
  for (const scope of forgottenOf(deviceId)) {
    const newest = newestOf(tx, scope);
    const old = await tx
      .selectFrom('readingSegments')
      .select('id')
      .where(isOf(scope))
      .where('firstAt', '<', cut)
      .orderBy('firstAt')
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
      const taken = await takeReadingSegments(tx, keeperOf(found), [{ id }]);
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

/** Some rows from before a time, the oldest first, if a newer reading of the same type exists, packed or not. */
export async function forgettableRows(
  tx: Tx,
  deviceId: number,
  { cut, most }: { readonly cut: number; readonly most: number },
): Promise<number[]> {
  for (const scope of forgottenOf(deviceId)) {
    const newest = newestOf(tx, scope);
    // At most as many as there are types stay; those behind them are looked at then.
    for (let skipped = 0; ; skipped += most) {
      const old = await tx
        .selectFrom('gatewayReadings')
        .select(['id', 'type'])
        .where(isOf(scope))
        .where('timestamp', '<', cut)
        .orderBy('timestamp')
        .orderBy('id')
        .limit(most)
        .offset(skipped)
        .execute();
      const ids: number[] = [];
      for (const { id, type } of old) if ((await newest(type)) !== id) ids.push(id);
      if (ids.length > 0) return ids;
      if (old.length < most) break;
    }
  }
  return [];
}
