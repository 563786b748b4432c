import type { Kysely } from 'kysely';
import { timeNow } from '../../platform/clock.ts';
import type { Tables } from '../schema/tables.ts';
import { NEVER_PACKED_MS } from './over-readings.ts';
import { isOf, openReadings, readingSegmentsWithin } from './reading-segments.ts';
import type { ReadingScope, StoredReadingRow } from './stored-reading.ts';

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
