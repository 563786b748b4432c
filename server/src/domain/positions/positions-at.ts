import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { type PositionColumn, type StoredPosition, unpackPositions } from './packed-positions.ts';
import { segmentsWithin } from './segments.ts';

/**
 * The positions of a device at some moments, in no order. The caller holds the lock of the device, so that nothing is
 * packed between the two statements.
 */
export async function positionsAt<Column extends Exclude<PositionColumn, 'deviceId'>>(
  tx: Kysely<Tables>,
  deviceId: number,
  moments: readonly number[],
  columns: readonly Column[],
): Promise<Pick<StoredPosition, Column>[]> {
  const rows = (await tx
    .selectFrom('points')
    .select(columns as readonly PositionColumn[])
    .where('deviceId', '=', deviceId)
    .where('timestamp', 'in', [...moments])
    .execute()) as Pick<StoredPosition, Column>[];
  const span = { from: Math.min(...moments), to: Math.max(...moments) };
  const segments = await segmentsWithin(tx, deviceId, span).select(['firstAt', 'lastAt', 'data']).execute();
  const wanted = [...new Set<Column | 'timestamp'>([...columns, 'timestamp'])];
  for (const { firstAt, lastAt, data } of segments) {
    const within = new Set(moments.filter((at) => at >= firstAt && at <= lastAt));
    if (within.size === 0) continue;
    for (const position of unpackPositions(data, wanted))
      if (within.has(position.timestamp)) rows.push(position as Pick<StoredPosition, Column>);
  }
  return rows;
}
