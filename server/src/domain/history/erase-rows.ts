import { deletePositionsOf } from '../positions/pack.ts';
import { clearSightings } from '../positions/pack-readings.ts';
import { endDependants, hasDependants } from '../schema/dependants.ts';
import type { Store, Tx } from '../schema/tables.ts';
import type { AnyRow, LooseQuery } from './next-rows.ts';
import { DEVICE_HOLDINGS, type Holding, USER_HOLDINGS, VIEWS } from './personal-holdings.ts';

/** Deletes the rows of a device or a user from all tables. */

export type RowCounts = Record<string, number>;

/** Rows per transaction, so that other writers do not wait long. */
const CHUNK = 500;
const SEGMENTS_AT_ONCE = 10;
/** Tables without an id, or whose single row ends the erasure. */
const AT_ONCE: ReadonlySet<string> = new Set([
  'escalations',
  'geofenceChecks',
  'commandChannels',
  'rtkStates',
  'receivedItems',
  'placeQueue',
  'checkpoints',
  'ruleQueue',
  'reportDevices',
  'proximities',
  'deviceGroupMembers',
  'deviceStates',
  'devices',
  'users',
  'geofenceRevisions',
  'signInAddresses',
  'signInChallenges',
  'authenticators',
]);

const looseOf = (query: Tx) => query as unknown as LooseQuery;
const isTable = ({ table }: Holding) => !VIEWS.includes(table);

const erasedHoldings = (kind: 'device' | 'user') =>
  (kind === 'device' ? DEVICE_HOLDINGS : USER_HOLDINGS).filter(isTable);

/** Row counts by table. */
export async function countRows(store: Store, kind: 'device' | 'user', id: number): Promise<RowCounts> {
  const counts: RowCounts = {};
  for (const { table, column } of erasedHoldings(kind)) {
    const { rows } = await looseOf(store.query)
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('rows'))
      .where(column, '=', id)
      .executeTakeFirstOrThrow();
    if (Number(rows) > 0) counts[table] = (counts[table] ?? 0) + Number(rows);
  }
  return counts;
}

/** Erases large tables in small steps, as long as `goOn` returns true. Returns whether it is complete. */
export async function eraseLong(
  store: Store,
  kind: 'device' | 'user',
  id: number,
  goOn: () => boolean,
): Promise<boolean> {
  const query = looseOf(store.query);
  for (const holding of erasedHoldings(kind)) {
    const { table, column, erase } = holding;
    if (AT_ONCE.has(table) || (kind === 'user' && !LONG_OF_USER.has(table))) continue;
    for (;;) {
      if (!goOn()) return false;
      let some = query.selectFrom(table).select('id').where(column, '=', id).limit(CHUNK);
      if (table === 'liveEvents') some = some.where('kind', '!=', 'access');
      const ids = (await some.execute()).map((row) => row.id as number);
      if (ids.length === 0) break;
      // With the device, since ids of the live log are not unique among all devices.
      if (table === 'points') await store.transaction((tx) => deletePositionsOf(tx, id, CHUNK));
      else if (table === 'readingSegments' && erase === 'clear')
        await store.transaction((tx) => clearSightings(tx, id, SEGMENTS_AT_ONCE));
      else await eraseOf(query, holding, id, ids);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return true;
}

/** All other rows are deleted with the account, like everything that depends on its rights. */
const LONG_OF_USER: ReadonlySet<string> = new Set(['notifications', 'outbox', 'liveEvents']);

/** Erases all that is left, in the transaction that ends the erasure. */
export async function eraseOthers(tx: Tx, kind: 'device' | 'user', id: number): Promise<void> {
  for (const holding of erasedHoldings(kind))
    if (holding.table === 'points') await deletePositionsOf(tx, id);
    else if (holding.table === 'readingSegments' && holding.erase === 'clear')
      await clearSightings(tx, id, Number.MAX_SAFE_INTEGER);
    else await eraseOf(looseOf(tx), holding, id);
}

async function eraseOf(
  query: LooseQuery,
  { table, column, erase }: Holding,
  id: number,
  ids?: readonly number[],
): Promise<void> {
  if (erase === 'delete') {
    if (ids && hasDependants(table)) await endDependants(query, table, ids);
    let rows = query.deleteFrom(table).where(column, '=', id);
    // Live streams must first read that the device was removed; the entry is deleted with the log.
    if (table === 'liveEvents') rows = rows.where('kind', '!=', 'access');
    await (ids ? rows.where('id', 'in', [...ids]) : rows).execute();
    return;
  }
  if (table === 'gatewayReadings') {
    const withoutGateway = query.deleteFrom(table).where(column, '=', id).where('gatewayId', 'is', null);
    await (ids ? withoutGateway.where('id', 'in', [...ids]) : withoutGateway).execute();
  }
  const cleared: AnyRow = { [column]: null, ...(table === 'gatewayReadings' && { sensorDeviceId: null }) };
  const rows = query.updateTable(table).set(cleared).where(column, '=', id);
  await (ids ? rows.where('id', 'in', [...ids]) : rows).execute();
}
