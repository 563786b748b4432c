import type { Kysely } from 'kysely';
import { byTime } from '../../platform/packing/with-packed.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { startOfDay } from '../positions/segments.ts';
import type { Tables } from '../schema/tables.ts';
import { hasType, isOf, openReadings } from './reading-segments.ts';
import type { ReadingScope, StoredReadingRow } from './stored-reading.ts';

type Place = Pick<StoredReadingRow, 'timestamp' | 'id'>;

/** The newest reading of a type and a scope, whether it is packed or not. */
export async function newestReading(
  query: Kysely<Tables>,
  storeKind: StoreKind,
  scope: ReadingScope,
  type: string,
): Promise<Place | undefined> {
  let newest: Place | undefined = await query
    .selectFrom('gatewayReadings')
    .select(['timestamp', 'id'])
    .where(isOf(scope))
    .where('type', '=', type)
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const last = query.selectFrom('readingSegments').where(isOf(scope)).where(hasType(storeKind, type));
  const { day } = await last
    .select(({ fn }) => fn.max('first').as('day'))
    .where('last', '>=', newest?.timestamp ?? 0)
    .executeTakeFirstOrThrow();
  if (day === null) return newest;
  // Segments of a day may overlap, and those of different days do not.
  const segments = await last
    .select(['gatewayId', 'deviceId', 'data'])
    .where('first', '>=', startOfDay(Number(day)))
    .execute();
  for (const segment of segments)
    for (const reading of openReadings(segment, ['type']))
      if (reading.type === type && (newest === undefined || byTime(newest, reading) < 0)) newest = reading;
  return newest;
}
