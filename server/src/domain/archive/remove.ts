import { readParquet } from '../../platform/formats/parquet.ts';
import type { Store } from '../schema/tables.ts';
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
        gone.push({ id: Number(row.id), deviceId: Number(row.deviceId), at: Number(row[table.time]) });
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
function newestReadings({ query }: Store): Newest {
  return remembered(
    ({ gatewayId, deviceId, type }) => JSON.stringify([gatewayId, deviceId, type]),
    async ({ gatewayId, deviceId, type }) => {
      const of = query
        .selectFrom('gatewayReadings')
        .select('id')
        .where('type', '=', String(type))
        .where('gatewayId', gatewayId === null ? 'is' : '=', gatewayId as never)
        .where('deviceId', deviceId === null ? 'is' : '=', deviceId as never);
      const newest = await of.orderBy('timestamp', 'desc').orderBy('id', 'desc').limit(1).execute();
      return newest.map(({ id }) => id);
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
