import assert from 'node:assert/strict';
import test from 'node:test';
import type { Generated } from 'kysely';
import { onBothEngines } from '../../testing/databases.ts';
import { insertOf, queryRows, runRows, updateOf } from './bulk.ts';
import { NotUnique } from './database.ts';

interface Tables {
  notes: {
    id: Generated<number>;
    name: string;
    part: number | null;
    at: number | null;
    any: string | null;
  };
}

const migrations = [
  {
    name: 'notes',
    up: 'CREATE TABLE notes (id {id}, name {text} NOT NULL UNIQUE, part {number}, at {time}, "any" {json});',
  },
];

const INSERT = insertOf('notes', { name: 'text', part: 'number', at: 'time', any: 'json' });
const UPDATE = updateOf('notes', { name: 'text', at: 'time', id: 'integer' }, { at: 'COALESCE({new}, "notes"."at")' });

onBothEngines<Tables>('statements for many rows', { migrations }, (open) => {
  test('rows get ids in their order, and every value comes back as it was', async () => {
    const db = await open();
    const names = [
      'plain',
      'a "quoted" one',
      'back\\slash',
      'with, commas {and} braces',
      'NULL',
      '',
      'ünï 🚲',
      "it's\n",
    ];
    const rows = names.map((name, index) => [
      name,
      index === 0 ? null : index / 3,
      index === 1 ? null : 1_790_000_000_000 + index,
      index === 2 ? null : JSON.stringify({ name, list: ['"', '\\', null] }),
    ]);
    const ids = await db.transaction((tx) => runRows(tx, INSERT, rows));
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    const kept = await db.query.selectFrom('notes').selectAll().orderBy('id').execute();
    assert.deepEqual(
      kept.map(({ id, name, part, at, any }) => [id, name, part, at, any === null ? null : JSON.parse(any)]),
      rows.map(([name, part, at, any], index) => [
        ids[index],
        name,
        part,
        at,
        any === null ? null : JSON.parse(`${any}`),
      ]),
    );
  });

  test('rows that are there get new values, or keep the old where it says so', async () => {
    const db = await open();
    const row = (name: string, at: number) => [name, null, at, null];
    const ids = await runRows(db.query, INSERT, [row('a', 1), row('b', 2), row('c', 3)]);
    await db.transaction((tx) =>
      runRows(tx, UPDATE, [
        ['z', 30, ids[2]!],
        ['x', null, ids[0]!],
      ]),
    );
    const kept = await db.query.selectFrom('notes').select(['name', 'at']).orderBy('id').execute();
    assert.deepEqual(
      kept.map(({ name, at }) => [name, at]),
      [
        ['x', 1],
        ['b', 2],
        ['z', 30],
      ],
    );
  });

  test('only rows that meet the condition are changed', async () => {
    const db = await open();
    const update = updateOf('notes', { part: 'number', id: 'integer' }, {}, { condition: '"notes"."at" > 1' });
    const row = (name: string, at: number) => [name, 0, at, null];
    const ids = await runRows(db.query, INSERT, [row('a', 1), row('b', 2)]);
    await runRows(
      db.query,
      update,
      ids.map((id) => [0.5, id]),
    );
    const parts = await db.query.selectFrom('notes').select('part').orderBy('id').execute();
    assert.deepEqual(
      parts.map(({ part }) => part),
      [0, 0.5],
    );
  });

  test('a query has the rows it is about, every value as it was', async () => {
    const db = await open();
    const rows = [
      ['a "quoted" one', 1 / 3, 1_790_000_000_123, JSON.stringify({ list: ['\\', null] })],
      ['ünï 🚲', null, null, null],
    ];
    const sql = 'SELECT "name", "part", "at", "any" FROM given ORDER BY "name"';
    const columns = { name: 'text', part: 'number', at: 'time', any: 'json' } as const;
    const found = await queryRows<Record<string, string | null>>(db.query, { columns, sql }, rows);
    assert.deepEqual(
      found.map(({ name, part, at, any }) => [name, part, at, any === null ? null : JSON.parse(any!)]),
      rows.map(([name, part, at, any]) => [name, part, at, any === null ? null : JSON.parse(`${any}`)]),
    );
    assert.deepEqual(await queryRows(db.query, { columns, sql }, []), []);
  });

  test('no rows are no statement', async () => {
    const db = await open();
    assert.deepEqual(await runRows(db.query, INSERT, []), []);
  });

  test('one row that can not be leaves nothing of the others', async () => {
    const db = await open();
    const row = (name: string) => [name, null, null, null];
    await assert.rejects(
      db.transaction((tx) => runRows(tx, INSERT, [row('a'), row('b'), row('a')])),
      NotUnique,
    );
    assert.deepEqual(await db.query.selectFrom('notes').selectAll().execute(), []);
  });
});
