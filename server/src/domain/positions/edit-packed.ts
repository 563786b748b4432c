import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { insertReadingSegments, takeReadingSegments } from './pack-readings.ts';
import { type PackedPosition, unpackPositions } from './packed-positions.ts';
import { isOf, newestReading, openReadings } from './reading-segments.ts';
import { segmentsOf, segmentsWithin } from './segments.ts';
import { takeSegments } from './store-packed.ts';
import { keeperOf, type ReadingScope } from './stored-reading.ts';

/**
 * Marks packed positions as the engine evaluated them. They stay packed: otherwise a history that is evaluated again would
 * become rows. The caller holds the lock of the device.
 */

/** Of what is packed in a range of time, both ends inclusive, these and no others are implausible. */
export async function markPackedWithin(
  tx: Tx,
  deviceId: number,
  { from, to }: { readonly from: number; readonly to: number },
  implausible: readonly number[],
): Promise<void> {
  const ids = new Set(implausible);
  const segments = await segmentsWithin(tx, deviceId, { from, to }).select(['firstAt', 'data']).execute();
  for (const { firstAt, data } of segments)
    await markSegment(tx, deviceId, { firstAt, data }, ({ id, timestamp, judged }) =>
      timestamp < from || timestamp > to
        ? judged
        : ids.has(id)
          ? 'implausible'
          : judged === 'implausible'
            ? null
            : judged,
    );
}

/** Marks the packed ones of these positions as implausible. */
export async function markPacked(tx: Tx, deviceId: number, implausible: readonly number[]): Promise<void> {
  if (implausible.length === 0) return;
  const ids = new Set(implausible);
  const segments = await tx
    .selectFrom('positionSegments')
    .select(['firstAt', 'lowId', 'highId', 'data'])
    .where('deviceId', '=', deviceId)
    .where('lowId', '<=', Math.max(...implausible))
    .where('highId', '>=', Math.min(...implausible))
    .execute();
  for (const { firstAt, lowId, highId, data } of segments)
    if (implausible.some((id) => id >= lowId && id <= highId))
      await markSegment(tx, deviceId, { firstAt, data }, ({ id, judged }) => (ids.has(id) ? 'implausible' : judged));
}

type Judged = Pick<PackedPosition, 'id' | 'timestamp' | 'judged'>;

async function markSegment(
  tx: Tx,
  deviceId: number,
  segment: { readonly firstAt: number; readonly data: Uint8Array | string },
  judgedOf: (position: Judged) => PackedPosition['judged'],
): Promise<void> {
  const judged = unpackPositions(segment.data, ['id', 'timestamp', 'judged']);
  if (judged.every((position) => judgedOf(position) === position.judged)) return;
  const positions = await takeSegments(tx, deviceId, [segment]);
  const marked = positions.map((position) => ({ ...position, judged: judgedOf(position) }));
  for (const one of segmentsOf(deviceId, marked)) await tx.insertInto('positionSegments').values(one).execute();
}

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
