import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { type PackedPosition, unpackPositions } from './packed-positions.ts';
import { segmentsOf, segmentsWithin } from './segments.ts';
import { takeSegments } from './store-packed.ts';

/**
 * Marks packed positions as the engine judged them. They stay packed: otherwise a history that is judged again would
 * become rows. The caller holds the lock of the device.
 */

type Tx = Kysely<Tables>;

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
