import { sql } from 'kysely';
import { SLOT_KEYS, slotOf } from '../../schema/owned-devices.ts';
import type { Store } from '../../schema/tables.ts';
import type { LooseQuery } from '../next-rows.ts';

/** Reads the current schema, so that later tables are included. */

export interface TestColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isNeeded: boolean;
}

/** Columns that refer to a device, and columns that refer to a user. */
export const DEVICE_COLUMNS = ['deviceId', 'otherDeviceId', 'gatewayId'];
export const USER_COLUMNS = ['userId', 'ownerId', 'holderId', 'grantedBy', 'invitedBy', 'acknowledgedBy', 'actorId'];

export async function columnsOf({ query, dialect }: Store): Promise<TestColumn[]> {
  if (dialect.name === 'postgres') {
    const { rows } = await sql<{
      table: string;
      name: string;
      type: string;
      nullable: string;
      preset: string | null;
      identity: string;
    }>`
      SELECT c.table_name AS "table", c.column_name AS "name", c.data_type AS "type", c.is_nullable AS "nullable",
        c.column_default AS "preset", c.is_identity AS "identity"
      FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
        AND NOT EXISTS (SELECT 1 FROM pg_class WHERE oid = CAST(quote_ident(c.table_name) AS regclass) AND relispartition)`.execute(
      query,
    );
    return rows.map(({ table, name, type, nullable, preset, identity }) => ({
      table,
      name,
      type: type.toUpperCase(),
      isNeeded: nullable === 'NO' && preset === null && identity === 'NO',
    }));
  }
  const { rows } = await sql<{
    table: string;
    name: string;
    type: string;
    notnull: number;
    preset: string | null;
    pk: number;
  }>`
    SELECT m.name AS "table", c.name AS "name", c.type AS "type", c."notnull" AS "notnull", c.dflt_value AS "preset", c.pk AS "pk"
    FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`.execute(
    query,
  );
  return rows.map(({ table, name, type, notnull, preset, pk }) => ({
    table,
    name,
    type: type.toUpperCase(),
    isNeeded: (notnull === 1 || pk > 0) && preset === null && !(pk === 1 && name === 'id'),
  }));
}

/** Parent tables of rows, by the referring column; filled in this order. */
const PARENTS: readonly (readonly [column: string, table: string])[] = [
  ['planId', 'plans'],
  ['groupId', 'deviceGroups'],
  ['listId', 'geofenceLists'],
  ['safeZoneId', 'geofences'],
  ['destinationId', 'destinations'],
  ['triggerId', 'notificationTriggers'],
  ['taskId', 'maintenanceTasks'],
  ['outboxId', 'outbox'],
  ['notificationId', 'notifications'],
  ['tokenId', 'tokens'],
];
/** References that are filled although they may be null. A grant is of a group or of a list. */
const OPTIONAL = new Set([
  'grants.listId',
  'deviceConfigs.safeZoneId',
  'forwarders.destinationId',
  'savedReports.groupId',
]);
const SKIPPED = new Set([
  'users',
  'devices',
  'migrations',
  'settings',
  'auditEntries',
  'erasures',
  'dataCopies',
  'deviceKeys',
  // Packed data cannot be generated.
  'positionSegments',
  'readingSegments',
]);

let count = 1000;

/** Inserts a row about this device and this user into every table that refers to either. */
export async function fillTables(store: Store, deviceId: number, userId: number): Promise<string[]> {
  const query = store.query as unknown as LooseQuery;
  const columns = await columnsOf(store);
  const parents = new Map<string, number>();
  const first = PARENTS.map(([, table]) => table);
  const naming = columns
    .filter(({ name }) => DEVICE_COLUMNS.includes(name) || USER_COLUMNS.includes(name))
    .map(({ table }) => table);
  const tables = [...new Set([...first, ...naming])].filter((table) => !SKIPPED.has(table));
  for (const table of tables) {
    const row: Record<string, string | number> = {};
    for (const { name, type, isNeeded } of columns.filter((column) => column.table === table)) {
      count += 1;
      if (DEVICE_COLUMNS.includes(name) || name === 'reporterId') row[name] = deviceId;
      else if (USER_COLUMNS.includes(name)) row[name] = userId;
      else if (parents.has(name) && (isNeeded || OPTIONAL.has(`${table}.${name}`))) row[name] = parents.get(name)!;
      else if (name === 'kind' && table === 'liveEvents') row[name] = 'report';
      else if (isNeeded || (name === 'id' && table === 'liveEvents'))
        row[name] =
          type === 'TEXT'
            ? `text ${count}`
            : type === 'JSONB'
              ? '{}'
              : name === 'slot'
                ? SLOT_KEYS[slotOf(deviceId)]!
                : count;
    }
    try {
      await query.insertInto(table).values(row).execute();
    } catch (error) {
      // Some tables have one row per device or user, which already exists.
      if (!/unique/i.test(String(error))) throw new Error(`${table}: ${error}`, { cause: error });
    }
    const parent = PARENTS.find(([, of]) => of === table);
    if (parent) {
      const last = await query.selectFrom(table).select('id').orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
      parents.set(parent[0], Number(last.id));
    }
  }
  return tables;
}

/** Number of rows of each table that refer to it, in the columns of that kind. */
export async function rowsNaming(store: Store, names: readonly string[], id: number): Promise<Record<string, number>> {
  const query = store.query as unknown as LooseQuery;
  const found: Record<string, number> = {};
  for (const { table, name } of await columnsOf(store)) {
    if (!names.includes(name) || table === 'auditEntries') continue;
    let rows = query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('rows'))
      .where(name, '=', id);
    if (table === 'liveEvents') rows = rows.where('kind', '!=', 'access');
    const { rows: number } = await rows.executeTakeFirstOrThrow();
    if (Number(number) > 0) found[`${table}.${name}`] = Number(number);
  }
  return found;
}
