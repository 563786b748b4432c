import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { type KyselyPlugin, sql, TableNode } from 'kysely';
import { distributionColumns } from '../../platform/storage/placement.ts';
import { onPostgres } from '../../testing/databases.ts';
import { deleteDevice } from './dependants.ts';
import { SCHEMA } from './migrations/0001-schema.ts';
import { MIGRATIONS } from './migrations.ts';
import { isOwned, SLOT_KEYS, slotOf } from './owned-devices.ts';
import { PLACEMENTS } from './placement.ts';
import type { Store, Tables } from './tables.ts';

const BY = distributionColumns(PLACEMENTS);
const DISTRIBUTED = Object.keys(BY);

onPostgres<Tables>('placements', { migrations: MIGRATIONS }, (open) => {
  let store: Store;
  before(async () => {
    store = await open();
  });

  test('name every table', async () => {
    const { rows } = await sql<{ name: string }>`SELECT relname AS "name" FROM pg_class
      WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind IN ('r', 'p')
        AND NOT relispartition`.execute(store.query);
    assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys(PLACEMENTS).sort());
  });

  test('keys and what is unique contain the column by which a table is distributed', async () => {
    const { rows } = await sql<{ table: string; index: string; columns: string; isPrimary: number }>`
      SELECT relname AS "table", CAST(CAST(indexrelid AS regclass) AS TEXT) AS "index", indisprimary AS "isPrimary",
        (SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY(indkey)) AS "columns"
      FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
      WHERE indisunique AND relnamespace = CAST(current_schema() AS regnamespace)`.execute(store.query);
    const ofDevices = rows.filter(({ table }) => DISTRIBUTED.includes(table));
    assert.deepEqual(
      ofDevices.filter(({ table, columns }) => !columns.split(' ').includes(BY[table]!)),
      [],
    );
    const keyed = ofDevices.filter(({ isPrimary }) => isPrimary).map(({ table }) => table);
    // A key of positions would cost more than all that is known of their speed: their ids come from one sequence.
    assert.deepEqual(keyed.sort(), DISTRIBUTED.filter((name) => name !== 'positions').sort());
  });

  test('rows of a device are deleted with it, by a key or by a statement', async () => {
    const declared = Object.values(SCHEMA)
      .flat()
      .filter((one) => 'references' in one && one.references?.deviceId?.onDelete === 'CASCADE');
    const { rows } = await sql<{ name: string }>`SELECT relname AS "name" FROM pg_constraint
      JOIN pg_class ON pg_class.oid = conrelid
      WHERE confrelid = CAST('devices' AS regclass) AND confdeltype = 'c'`.execute(store.query);
    const deleted = new Set(rows.map(({ name }) => name));
    const noting: KyselyPlugin = {
      transformQuery({ node }) {
        if (node.kind === 'DeleteQueryNode')
          for (const from of node.from.froms) if (TableNode.is(from)) deleted.add(from.table.identifier.name);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    await store.transaction((tx) => deleteDevice(tx.withPlugin(noting), 1));
    assert.deepEqual(
      declared.map(({ name }) => name).filter((name) => !deleted.has(name)),
      [],
    );
  });

  test('the columns by which tables are distributed are of one type, and always set', async () => {
    const { rows } = await sql<{ table: string; column: string; type: string; isThere: number }>`
      SELECT relname AS "table", attname AS "column", format_type(atttypid, NULL) AS "type", attnotnull AS "isThere"
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relkind IN ('r', 'p') AND relnamespace = CAST(current_schema() AS regnamespace)`.execute(store.query);
    const found = rows.filter(({ table, column }) => BY[table] === column);
    assert.equal(found.length, DISTRIBUTED.length);
    for (const { table, type, isThere } of found) assert.deepEqual([table, type, isThere], [table, 'bigint', 1]);
  });

  test('the slot of an id is the same in the database, and its key is in it', async () => {
    const ids = [0, 1, 2, 63, 64, 352, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 5, 2 ** 40, 2 ** 53 - 1];
    const ofSlot = (slot: number) => sql<{
      id: number;
    }>`SELECT "id" FROM unnest(CAST(${`{${ids}}`} AS BIGINT[])) AS given ("id")
      WHERE ${isOwned('id', [slot])}`;
    for (const [slot, key] of SLOT_KEYS.entries()) {
      assert.equal(slotOf(key), slot);
      const { rows } = await ofSlot(slot).execute(store.query);
      assert.deepEqual(
        rows.map(({ id }) => id),
        ids.filter((id) => slotOf(id) === slot),
      );
    }
    assert.equal(slotOf(0), 0);
  });

  test('ids are of plain sequences', async () => {
    const own = await sql<{ name: string }>`SELECT relname AS "name" FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid WHERE attidentity <> ''`.execute(store.query);
    assert.deepEqual(
      own.rows.filter(({ name }) => DISTRIBUTED.includes(name)),
      [],
    );
  });
});
