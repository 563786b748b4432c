import type { Kysely } from 'kysely';
import { timeNow } from '../../platform/clock.ts';
import type { Tables } from '../schema/tables.ts';
import { NEVER_PACKED_MS } from './over-readings.ts';
import { type PositionColumn, type StoredPosition, unpackPositions } from './packed-positions.ts';
import { isOf, openReadings, readingSegmentsWithin } from './reading-segments.ts';
import { segmentsWithin } from './segments.ts';
import type { ReadingScope, StoredReadingRow } from './stored-reading.ts';

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

type Recognised = Pick<StoredReadingRow, 'timestamp' | 'hash'>;

/**
 * The identities of readings of a scope at some times, in no order. The caller holds the lock of the device that
 * reported them, so that nothing is packed between the two statements.
 */
export async function readingsAt(
  tx: Kysely<Tables>,
  scope: ReadingScope,
  moments: readonly number[],
): Promise<Recognised[]> {
  const rows: Recognised[] = await tx
    .selectFrom('gatewayReadings')
    .select(['timestamp', 'hash'])
    .where(isOf(scope))
    .where('timestamp', 'in', [...moments])
    .execute();
  const span = { from: Math.min(...moments), to: Math.max(...moments) };
  if (span.from > timeNow() - NEVER_PACKED_MS) return rows;
  const segments = await readingSegmentsWithin(tx, scope, span)
    .select(['gatewayId', 'deviceId', 'firstAt', 'lastAt', 'data'])
    .execute();
  for (const segment of segments) {
    const within = new Set(moments.filter((at) => at >= segment.firstAt && at <= segment.lastAt));
    if (within.size === 0) continue;
    for (const reading of openReadings(segment, ['hash'])) if (within.has(reading.timestamp)) rows.push(reading);
  }
  return rows;
}
