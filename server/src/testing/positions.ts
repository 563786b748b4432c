import type { NewPosition } from '../domain/positions/encode.ts';
import { packDay } from '../domain/positions/pack.ts';
import type { StoredPosition } from '../domain/positions/packed-positions.ts';
import { changePosition, insertPositions } from '../domain/positions/write.ts';
import { MIGRATIONS } from '../domain/schema/migrations.ts';
import type { Store, Tables } from '../domain/schema/tables.ts';
import { openPostgres } from '../platform/storage/postgres/postgres.ts';
import { openSqlite } from '../platform/storage/sqlite/sqlite.ts';

/** Words may be any text here, so that tests need not say what they are. */
type GivenPosition = Partial<Omit<NewPosition, 'locationType' | 'judged'>> &
  Pick<NewPosition, 'deviceId' | 'timestamp'> & { readonly locationType?: string; readonly judged?: string | null };

/** Adds devices with nothing but their ids: on Citus, rows are stored only for devices that exist. */
export async function addDevices({ query }: Pick<Store, 'query'>, ids: readonly number[]): Promise<void> {
  const owner = { id: 1, email: 'jane@example.com', passwordHash: 'x', created: 1 };
  await query
    .insertInto('users')
    .values(owner as never)
    .execute();
  const devices = ids.map((id) => ({ id, name: `Device ${id}`, ownerId: owner.id, firstSeen: 1 }));
  await query
    .insertInto('devices')
    .values(devices as never)
    .execute();
}

/** Stores positions unchanged, without evaluating them. Returns their ids. */
export async function storePositions(
  { query }: Pick<Store, 'query'>,
  given: GivenPosition | readonly GivenPosition[],
): Promise<number[]> {
  const all = Array.isArray(given) ? (given as readonly GivenPosition[]) : [given as GivenPosition];
  return insertPositions(
    query,
    all.map((one) => ({ created: one.timestamp, locationType: 'gps', ...one }) as NewPosition),
  );
}

/** Changes the positions of a time like a manual change; nothing is evaluated again. */
export async function changePositionsAt(
  { query }: Pick<Store, 'query'>,
  timestamp: number,
  changes: Partial<Omit<StoredPosition, 'id'>>,
): Promise<void> {
  const rows = await query.selectFrom('points').select('id').where('timestamp', '=', timestamp).execute();
  for (const { id } of rows) await changePosition(query, id, changes);
}

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
        await insertPositions(tx, trace);
        return packDay(tx, trace[0]!.deviceId, trace[0]!.timestamp);
      });
  } finally {
    await store.close();
  }
  return packed;
}
