import assert from 'node:assert/strict';
import test from 'node:test';
import type { Generated } from 'kysely';
import { onBothEngines, onPostgres } from '../../testing/databases.ts';
import { insertOf, runRows } from './bulk.ts';
import { type Database, NotUnique } from './database.ts';
import { askLater, runLater } from './later.ts';

interface Tables {
  notes: { id: Generated<number>; name: string };
}

const migrations = [{ name: 'notes', up: 'CREATE TABLE notes (id {id}, name {text} NOT NULL UNIQUE);' }];
const INSERT = insertOf('notes', { name: 'text' });
const namesIn = async ({ query }: Pick<Database<Tables>, 'query'>) =>
  (await query.selectFrom('notes').select('name').orderBy('id').execute()).map(({ name }) => name);

onBothEngines<Tables>('statements that nobody waits for', { migrations }, (open) => {
  test('are done before the next statement, and before the commit', async () => {
    const db = await open();
    await db.transaction(async (tx) => {
      await runLater(tx, [[INSERT, [['a'], ['b']]]]);
      assert.deepEqual(await namesIn({ query: tx as never }), ['a', 'b']);
      await runLater(tx, [
        [INSERT, [['c']]],
        [INSERT, []],
        [INSERT, [['d']]],
      ]);
    });
    assert.deepEqual(await namesIn(db), ['a', 'b', 'c', 'd']);
  });

  test('let the transaction fail as they did, whatever comes after them', async () => {
    const db = await open();
    await runRows(db.query, INSERT, [['taken']]);
    const twice = (more: (tx: typeof db.query) => Promise<unknown>) =>
      db.transaction(async (tx) => {
        await runRows(tx, INSERT, [['new']]);
        await runLater(tx, [[INSERT, [['taken']]]]);
        await more(tx);
      });
    await assert.rejects(
      twice(async () => {}),
      NotUnique,
    );
    await assert.rejects(
      twice((tx) => tx.selectFrom('notes').select('id').execute()),
      NotUnique,
    );
    assert.deepEqual(await namesIn(db), ['taken']);
    await db.transaction((tx) => runLater(tx, [[INSERT, [['after']]]]));
    assert.deepEqual(await namesIn(db), ['taken', 'after'], 'the connection is as good as before');
  });

  test('are not done where the transaction is rolled back before', async () => {
    const db = await open();
    const failing = (isBegun: boolean) =>
      db.transaction(async (tx) => {
        if (isBegun) await runRows(tx, INSERT, [['new']]);
        await runLater(tx, [[INSERT, [['later']]]]);
        throw new Error('No.');
      });
    for (const isBegun of [true, false]) await assert.rejects(failing(isBegun), { message: 'No.' });
    assert.equal(await db.transaction(async () => 7), 7, 'one that does nothing');
    assert.deepEqual(await namesIn(db), []);
    await runRows(db.query, INSERT, [['outside']]);
    assert.deepEqual(await namesIn(db), ['outside'], 'what is not in a transaction is kept');
  });
});

onPostgres<Tables>('what is asked and not waited for', { migrations }, (open) => {
  test('is answered with the next statement', async () => {
    const db = await open();
    const sum = await db.transaction(async (tx) => {
      const asked = await askLater<{ n: number }>(tx, 'SELECT $1::INTEGER + 1 AS "n"', [4]);
      await namesIn({ query: tx as never });
      return (await asked.rows)[0]!.n;
    });
    assert.equal(sum, 5);
  });

  test('fails with it', async () => {
    const db = await open();
    const failing = db.transaction(async (tx) => {
      const asked = await askLater(tx, 'SELECT 1 / $1::INTEGER', [0]);
      await namesIn({ query: tx as never }).catch(() => {});
      return asked.rows;
    });
    await assert.rejects(failing, /division by zero|aborted/);
    assert.deepEqual(await namesIn(db), []);
  });
});
