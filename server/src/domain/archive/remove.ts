import { readParquet } from '../../platform/formats/parquet.ts';
import type { Store } from '../schema/tables.ts';
import { newestReading } from '../stored-readings/newest-reading.ts';
import type { ArchivedTable } from './archived-tables.ts';
import type { RemovedRow, RowSource } from './row-source.ts';

/**
 * Removes from the database what a file of an archive holds, row by row as the file says: what came meanwhile stays.
 * The newest of each device stays too, since maps and pages show it. Returns how many rows the file has.
 */
export async function removeArchived(
  store: Store,
  path: string,
  table: ArchivedTable,
  source: RowSource,
): Promise<number> {
  const keys = table.columns.filter(({ name }) => ['id', 'deviceId', 'gatewayId', 'type', table.time].includes(name));
  const newest = table.name === 'positions' ? newestPositions(store) : newestReadings(store);
  let removed = 0;
  for await (const rows of readParquet(path, keys)) {
    const gone: RemovedRow[] = [];
    for (const row of rows)
      if (!(await newest(row)).includes(Number(row.id)))
        gone.push({ id: Number(row.id), deviceId: Number(row.gatewayId ?? row.deviceId), at: Number(row[table.time]) });
    await source.remove(gone);
    removed += gone.length;
  }
  return removed;
}

type Key = Readonly<Record<string, string | number | null>>;
type Newest = (row: Key) => Promise<readonly number[]>;

/** The last position of a device, and the last one that has a place. */
function newestPositions({ query }: Store): Newest {
  const last = (deviceId: number) =>
    query.selectFrom('points').select('id').where('deviceId', '=', deviceId).orderBy('timestamp', 'desc').limit(1);
  return remembered(
    ({ deviceId }) => `${deviceId}`,
    async ({ deviceId }) => {
      const newest = await last(Number(deviceId)).orderBy('id', 'desc').execute();
      const placed = await last(Number(deviceId)).where('locationLat', 'is not', null).orderBy('id', 'desc').execute();
      return [...newest, ...placed].map(({ id }) => id);
    },
  );
}

/** The last reading of each type. */
function newestReadings({ query, storeKind }: Store): Newest {
  return remembered(
    ({ gatewayId, deviceId, type }) => JSON.stringify([gatewayId, deviceId, type]),
    async ({ gatewayId, deviceId, type }) => {
      const numbered = (id: string | number | null | undefined) =>
        id === null || id === undefined ? null : Number(id);
      const pair = { gatewayId: numbered(gatewayId), deviceId: numbered(deviceId) };
      const newest = await newestReading(query, storeKind, pair, String(type));
      return newest === undefined ? [] : [newest.id];
    },
  );
}

function remembered(keyOf: (row: Key) => string, find: Newest): Newest {
  const found = new Map<string, readonly number[]>();
  return async (row) => {
    const key = keyOf(row);
    const there = found.get(key) ?? (await find(row));
    found.set(key, there);
    return there;
  };
}
