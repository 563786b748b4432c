import type { Kysely } from 'kysely';
import type { TimeSpan } from '../../date-range.ts';
import type { Tables } from '../../schema/tables.ts';

/** When a device said itself where it was, after the beginning of a time and up to its end. */
export async function ownFixTimes(tx: Kysely<Tables>, deviceId: number, { from, to }: TimeSpan): Promise<number[]> {
  const rows = await tx
    .selectFrom('points')
    .select('timestamp')
    .distinct()
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>', from)
    .where('timestamp', '<=', to)
    .where('locationLat', 'is not', null)
    .where('locationType', '!=', 'invalid')
    .where('isHeard', '=', 0)
    .execute();
  return rows.map(({ timestamp }) => timestamp);
}
