import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { type KyselyPlugin, sql, TableNode } from 'kysely';
import { onPostgres } from '../../testing/databases.ts';
import { deleteDevice } from './dependants.ts';
import { SCHEMA } from './migrations/0001-schema.ts';
import { MIGRATIONS } from './migrations.ts';
import { PLACEMENTS } from './placement.ts';
import type { Store, Tables } from './tables.ts';

const DISTRIBUTED = Object.entries(PLACEMENTS).flatMap(([name, { place }]) => (place === 'distributed' ? [name] : []));

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

  test('keys and what is unique begin with the slot', async () => {
    const { rows } = await sql<{ table: string; index: string; first: string; isPrimary: number }>`
      SELECT relname AS "table", CAST(CAST(indexrelid AS regclass) AS TEXT) AS "index", attname AS "first",
        indisprimary AS "isPrimary"
      FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
      JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
      WHERE indisunique AND relnamespace = CAST(current_schema() AS regnamespace)`.execute(store.query);
    const ofDevices = rows.filter(({ table }) => DISTRIBUTED.includes(table));
    assert.deepEqual(
      ofDevices.filter(({ first }) => first !== 'slot'),
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

  test('slots are of one type, and always there', async () => {
    const { rows } = await sql<{ table: string; type: string; isThere: number }>`
      SELECT relname AS "table", format_type(atttypid, NULL) AS "type", attnotnull AS "isThere"
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE attname = 'slot' AND relkind IN ('r', 'p') AND relnamespace = CAST(current_schema() AS regnamespace)`.execute(
      store.query,
    );
    const ofDevices = rows.filter(({ table }) => DISTRIBUTED.includes(table));
    assert.equal(ofDevices.length, DISTRIBUTED.length);
    for (const { table, type, isThere } of ofDevices) assert.deepEqual([table, type, isThere], [table, 'smallint', 1]);
  });

  test('foreign keys stay within a slot, and ids are of plain sequences', async () => {
    const keys = await sql<{
      from: string;
      to: string;
      key: string;
    }>`SELECT a.relname AS "from", b.relname AS "to", pg_get_constraintdef(pg_constraint.oid) AS "key" FROM pg_constraint
      JOIN pg_class a ON a.oid = conrelid JOIN pg_class b ON b.oid = confrelid WHERE contype = 'f'`.execute(
      store.query,
    );
    assert.deepEqual(
      keys.rows.filter(
        ({ from, to, key }) =>
          (DISTRIBUTED.includes(from) || DISTRIBUTED.includes(to)) && !/^FOREIGN KEY \(slot, /.test(key),
      ),
      [],
    );
    const own = await sql<{ name: string }>`SELECT relname AS "name" FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid WHERE attidentity <> ''`.execute(store.query);
    assert.deepEqual(
      own.rows.filter(({ name }) => DISTRIBUTED.includes(name)),
      [],
    );
  });
});
