import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onCitus } from '../../../../testing/databases.ts';
import type { Migration } from '../../migrations.ts';
import { referenceWrites } from '../store-clients.ts';

interface Tables {
  fences: { id?: number; name: string };
  versions: { fenceId: number; ended: number };
}

const MADE: Migration = {
  name: '0001-made',
  up: `CREATE TABLE "fences" ("id" {id}, "name" {text});
    CREATE TABLE "versions" ("fenceId" {integer} NOT NULL, "ended" {integer} NOT NULL);
    CREATE TABLE "devices" ("id" BIGINT PRIMARY KEY);`,
  placements: {
    migrations: { place: 'reference' },
    fences: { place: 'reference' },
    versions: { place: 'reference' },
    devices: { place: 'distributed', by: 'id' },
  },
};

test('a statement that writes to a table of all servers is known, however it is written', () => {
  const writes = referenceWrites({ fences: { place: 'reference' } });
  assert.ok(writes('insert into "fences" ("name") values ($1)'));
  assert.ok(writes('WITH given ("a") AS (SELECT * FROM unnest($1)) UPDATE "fences" SET "name" = \'\' FROM given'));
  assert.ok(writes('DELETE FROM\n "fences"'));
  assert.ok(!writes('select * from "fences"'));
  assert.ok(!writes('update "devices" set "name" = (select "name" from "fences")'));
});

onCitus<Tables>('tables of all servers', { migrations: [MADE] }, (open) => {
  test('are written by many at once, and none of them must begin again', async () => {
    const store = await open();
    let begun = 0;
    const change = (index: number) =>
      store.transaction(async (tx) => {
        begun++;
        const { id } = await tx
          .insertInto('fences')
          .values({ name: `${index}` })
          .returning('id')
          .executeTakeFirstOrThrow();
        await tx.updateTable('versions').set({ ended: 1 }).where('fenceId', '=', id!).execute();
        await tx.insertInto('versions').values({ fenceId: id!, ended: 0 }).execute();
        await tx.updateTable('fences').set({ name: 'done' }).where('id', '=', id!).execute();
      });
    const count = 30;
    await Promise.all(Array.from({ length: count }, (_, index) => change(index)));
    assert.equal(begun, count);
    const rows = await store.query.selectFrom('fences').select('name').execute();
    assert.deepEqual([rows.length, new Set(rows.map(({ name }) => name))], [count, new Set(['done'])]);
  });
});
