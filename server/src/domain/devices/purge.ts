import type { Kysely } from 'kysely';
import { forgetSegments } from '../positions/pack.ts';
import { deletePositions } from '../positions/write.ts';
import { deleteDevice, endDependants } from '../schema/dependants.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { forgetReadingSegments, forgetToldSegments } from '../stored-readings/pack-readings.ts';

export const RESTORABLE_MS = 30 * 86_400_000;
const CHUNK = 500;

interface LongTable {
  readonly table: keyof Tables;
  readonly column: string;
  /** Only rows in which this column is null. */
  readonly without?: string;
}

/** Tables that may have many rows of one device; other rows are deleted together with the device. */
const LONG: readonly LongTable[] = [
  { table: 'gatewayReadings', column: 'gatewayId' },
  // What it told of itself.
  { table: 'gatewayReadings', column: 'deviceId', without: 'gatewayId' },
  { table: 'messages', column: 'deviceId' },
  { table: 'deviceEvents', column: 'deviceId' },
];

/** Permanently deletes devices whose time to be restored is over, in small steps. */
export async function purgeDevices(store: Store, now: number): Promise<number> {
  const gone = await store.query
    .selectFrom('devices')
    .select('id')
    .where('deletedAt', '<', now - RESTORABLE_MS)
    .execute();
  for (const { id } of gone) {
    await purgeLong(store, id);
    await store.query.updateTable('gatewayReadings').set({ deviceId: null }).where('deviceId', '=', id).execute();
    await store.transaction((tx) => forgetReadingSegments(tx, id));
    await store.query.deleteFrom('geofences').where('deviceId', '=', id).execute();
    await store.transaction((tx) => deleteDevice(tx, id));
  }
  return gone.length;
}

/** Deletes what a device may have many rows of, as long as `goOn` says so. */
export async function purgeLong(store: Store, deviceId: number, goOn: GoOn = async () => true): Promise<void> {
  if (await goOn()) await forgetSegments(store.query, deviceId);
  if (await goOn()) await forgetToldSegments(store.query, deviceId);
  await deletePositionsInChunks(store, deviceId, goOn);
  for (const long of LONG) await deleteInChunks(store, long, deviceId, goOn);
}

type GoOn = () => Promise<boolean>;

async function deletePositionsInChunks(store: Store, deviceId: number, goOn: GoOn): Promise<void> {
  const some = store.query.selectFrom('points').select('id').where('deviceId', '=', deviceId).limit(CHUNK);
  for (;;) {
    const ids = (await some.execute()).map(({ id }) => id);
    if (ids.length === 0 || !(await goOn())) return;
    await store.transaction((tx) => deletePositions(tx, store.storeKind, ids));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function deleteInChunks(
  store: Store,
  { table, column, without }: LongTable,
  deviceId: number,
  goOn: GoOn,
): Promise<void> {
  const query = store.query as unknown as Kysely<Record<string, Record<string, number | null>>>;
  let some = query.selectFrom(table).select('id').where(column, '=', deviceId).limit(CHUNK);
  if (without !== undefined) some = some.where(without, 'is', null);
  for (;;) {
    const rows = await some.execute();
    if (rows.length === 0 || !(await goOn())) return;
    const ids = rows.map((row) => row.id!);
    if (table === 'messages') await endDependants(query, table, ids);
    await query.deleteFrom(table).where(column, '=', deviceId).where('id', 'in', ids).execute();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
