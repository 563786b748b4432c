import type { Kysely } from 'kysely';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { AnyRow, LooseQuery } from '../archive/next-rows.ts';
import { deletePositions, forgetPositions } from '../positions/write.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { clearHeard } from '../stored-readings/pack-readings.ts';
import { DEVICE_HOLDINGS, type Holding, USER_HOLDINGS, VIEWS } from './holdings.ts';

/** Takes the rows of a device or a user out of all tables. */

export type RowCounts = Record<string, number>;

/** Rows at a time, so that nobody else who writes waits long. */
const CHUNK = 500;
const SEGMENTS_AT_ONCE = 10;
/** Tables that have no id, or whose one row is what ends the erasure. */
const AT_ONCE: ReadonlySet<string> = new Set([
  'escalations',
  'fenceChecks',
  'rtkStates',
  'receivedItems',
  'placesDue',
  'checkpoints',
  'ruleDue',
  'reportDevices',
  'proximities',
  'deviceGroupMembers',
  'deviceStates',
  'devices',
  'users',
  'userFences',
  'signInAddresses',
  'signInChallenges',
  'authenticators',
]);

const looseOf = (query: Kysely<Tables>) => query as unknown as LooseQuery;
const isTable = ({ table }: Holding) => !VIEWS.includes(table);

export const erasedHoldings = (kind: 'device' | 'user') =>
  (kind === 'device' ? DEVICE_HOLDINGS : USER_HOLDINGS).filter(isTable);

/** How many rows there are, by table. */
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

/** Erases what may be long, in small steps, as long as `goOn` says so. Answers whether it is done. */
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
      // With the device, since ids of the live log are given for each slot.
      if (table === 'points') await deletePositions(store.query, store.storeKind, ids);
      else if (table === 'readingSegments' && erase === 'clear')
        await store.transaction((tx) => clearHeard(tx, id, SEGMENTS_AT_ONCE));
      else await eraseOf(query, holding, id, ids);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return true;
}

/** The rest goes with the account, by the rules that end what rested on its rights. */
const LONG_OF_USER: ReadonlySet<string> = new Set(['notifications', 'outbox', 'liveEvents']);

/** Erases all that is left, in the transaction that ends the erasure. */
export async function eraseRest(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  kind: 'device' | 'user',
  id: number,
): Promise<void> {
  for (const holding of erasedHoldings(kind))
    if (holding.table === 'points') await forgetPositions(tx, storeKind, id);
    else if (holding.table === 'readingSegments' && holding.erase === 'clear')
      await clearHeard(tx, id, Number.MAX_SAFE_INTEGER);
    else await eraseOf(looseOf(tx), holding, id);
}

async function eraseOf(
  query: LooseQuery,
  { table, column, erase }: Holding,
  id: number,
  ids?: readonly number[],
): Promise<void> {
  if (erase === 'delete') {
    let rows = query.deleteFrom(table).where(column, '=', id);
    // That a device went away is read by live streams first; it is forgotten with the log.
    if (table === 'liveEvents') rows = rows.where('kind', '!=', 'access');
    await (ids ? rows.where('id', 'in', [...ids]) : rows).execute();
    return;
  }
  if (table === 'gatewayReadings') {
    const unheard = query.deleteFrom(table).where(column, '=', id).where('gatewayId', 'is', null);
    await (ids ? unheard.where('id', 'in', [...ids]) : unheard).execute();
  }
  const cleared: AnyRow = { [column]: null, ...(table === 'gatewayReadings' && { sensorDeviceId: null }) };
  const rows = query.updateTable(table).set(cleared).where(column, '=', id);
  await (ids ? rows.where('id', 'in', [...ids]) : rows).execute();
}
