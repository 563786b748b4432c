import { insertReadings, packReadingsOf } from '../domain/positions/pack-readings.ts';
import { startOfDay } from '../domain/positions/segments.ts';
import { keeperOf, type StoredReadingRow } from '../domain/positions/stored-reading.ts';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import type { Store, Tables } from '../domain/schema/tables.ts';
import { openPostgres } from '../platform/storage/postgres/postgres.ts';
import { openSqlite } from '../platform/storage/sqlite/sqlite.ts';

type GivenReading = Pick<StoredReadingRow, 'timestamp' | 'type' | 'value'> & Partial<StoredReadingRow>;

/** Stores readings unchanged, unlike a report. By default they are received at their own time. */
export async function storeReadings(store: Store, ...readings: readonly GivenReading[]): Promise<void> {
  const rows = readings.map((reading) => {
    const row = { gatewayId: null, deviceId: null, hash: null, created: reading.timestamp, ...reading };
    return { ...row, reporterId: keeperOf(row) };
  });
  await store.query.insertInto('gatewayReadings').values(rows).execute();
}

/** What a device reported on one day. */
export interface ReportedDay {
  readonly keeperId: number;
  readonly readings: readonly StoredReadingRow[];
}

/**
 * Stores and packs the readings of some devices in a new database. Returns the number of readings.
 * @param place an empty folder, or the address of an empty database
 */
export async function packReportedDays(place: string, days: Iterable<ReportedDay>): Promise<number> {
  const store: Store = place.startsWith('postgres')
    ? await openPostgres<Tables>({ url: place, migrations: MIGRATIONS })
    : await openSqlite<Tables>({ folder: place, migrations: MIGRATIONS });
  let packed = 0;
  try {
    for (const { keeperId, readings } of days)
      packed += await store.transaction(async (tx) => {
        await insertReadings(tx, readings);
        const at = startOfDay(readings[0]!.timestamp);
        return packReadingsOf(tx, keeperId, { at, before: Number.MAX_SAFE_INTEGER });
      });
  } finally {
    await store.close();
  }
  return packed;
}
