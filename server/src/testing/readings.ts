import { startOfDay } from '../domain/positions/segments.ts';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import type { Store, Tables } from '../domain/schema/tables.ts';
import { insertReadings, packReadingsOf } from '../domain/stored-readings/pack-readings.ts';
import { keeperOf, type StoredReadingRow } from '../domain/stored-readings/stored-reading.ts';
import { openPostgres } from '../platform/storage/postgres/postgres.ts';
import { openSqlite } from '../platform/storage/sqlite/sqlite.ts';

type GivenReading = Pick<StoredReadingRow, 'timestamp' | 'type' | 'value'> & Partial<StoredReadingRow>;

/** Stores readings as they are, which no report does: received when they were made, where nothing else is said. */
export async function storeReadings(store: Store, ...readings: readonly GivenReading[]): Promise<void> {
  const rows = readings.map((reading) => {
    const row = { gatewayId: null, deviceId: null, hash: null, created: reading.timestamp, ...reading };
    return { ...row, keptBy: keeperOf(row) };
  });
  await store.query.insertInto('gatewayReadings').values(rows).execute();
}

/** What a device told on one day. */
export interface ToldDay {
  readonly keeperId: number;
  readonly readings: readonly StoredReadingRow[];
}

/**
 * Stores what some devices told in a new database, and packs it; how many readings there are.
 * @param place an empty folder, or the address of an empty database
 */
export async function packToldDays(place: string, days: Iterable<ToldDay>): Promise<number> {
  const store: Store = place.startsWith('postgres')
    ? await openPostgres<Tables>({ url: place, migrations: MIGRATIONS })
    : await openSqlite<Tables>({ folder: place, migrations: MIGRATIONS });
  let packed = 0;
  try {
    for (const { keeperId, readings } of days)
      packed += await store.transaction(async (tx) => {
        await insertReadings(tx, store.storeKind, readings);
        const at = startOfDay(readings[0]!.timestamp);
        return packReadingsOf(tx, store.storeKind, keeperId, { at, before: Number.MAX_SAFE_INTEGER });
      });
  } finally {
    await store.close();
  }
  return packed;
}
