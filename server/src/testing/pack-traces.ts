import type { NewPosition } from '../domain/positions/encode.ts';
import { packDay } from '../domain/positions/pack.ts';
import { insertPositions } from '../domain/positions/write.ts';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import type { Store, Tables } from '../domain/schema/tables.ts';
import { openPostgres } from '../platform/storage/postgres/postgres.ts';
import { openSqlite } from '../platform/storage/sqlite/sqlite.ts';

/** Positions of one device on one day. */
export type DayTrace = readonly NewPosition[];

/**
 * Stores the positions of some devices in a new database, and packs them; how many there are.
 * @param place an empty folder, or the address of an empty database
 */
export async function packTraces(place: string, traces: Iterable<DayTrace>): Promise<number> {
  const store: Store = place.startsWith('postgres')
    ? await openPostgres<Tables>({ url: place, migrations: MIGRATIONS })
    : await openSqlite<Tables>({ folder: place, migrations: MIGRATIONS });
  let packed = 0;
  try {
    for (const trace of traces)
      packed += await store.transaction(async (tx) => {
        await insertPositions(tx, store.storeKind, trace);
        return packDay(tx, store.storeKind, trace[0]!.deviceId, trace[0]!.timestamp);
      });
  } finally {
    await store.close();
  }
  return packed;
}
