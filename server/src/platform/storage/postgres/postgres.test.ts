import assert from 'node:assert/strict';
import test from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../../../testing/databases.ts';
import { insertOf, runRows } from '../bulk.ts';
import { openPostgres } from './postgres.ts';

interface Tables {
  t: { id?: number; a: string };
}

const INSERT = insertOf('t', { a: 'text' });
const migrations = [{ name: 't', up: 'CREATE TABLE t (id {id}, a {text})' }];

onBothEngines<Tables>('connections', { migrations }, (open) => {
  if (open.storeKind === 'sqlite') return;

  test('one that is cut within a transaction fails the transaction and nothing else', async () => {
    const db = await open();
    const cut = db.transaction(async (tx) => {
      await tx.insertInto('t').values({ a: 'x' }).execute();
      const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
      await sql`SELECT pg_terminate_backend(${rows[0]!.pid}::int, 10000)`.execute(db.query);
      await tx.insertInto('t').values({ a: 'y' }).execute();
    });
    await assert.rejects(cut);
    assert.deepEqual(await db.query.selectFrom('t').selectAll().execute(), []);
  });

  test('all of them cut while idle are replaced', async () => {
    const place = await open.emptyPlace();
    const db = await open.at(place);
    const one = db.prepare('one', 'SELECT 1 AS one');
    const search = {
      sql: 'SELECT 1 AS one',
      cells: [],
      shape: [{ name: 'one', kind: 'integer' as const }],
      owner: 'x',
    };
    await Promise.all([one.get(), one.get(), one.get(), db.search(search)]);
    const other = await open.at(place);
    await sql`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(other.query);
    // The next query may still get a connection whose loss has not been noticed yet.
    for (const use of [() => one.get(), () => db.search(search)]) {
      let failures = 0;
      for (;;) {
        try {
          await use();
          break;
        } catch (error) {
          failures += 1;
          if (failures > 5) throw error;
        }
      }
    }
  });

  test('they bear our name and have a statement timeout', async () => {
    const db = await open();
    const setting = async (name: string) => (await db.prepare(name, `SELECT current_setting('${name}') AS x`).get())!.x;
    assert.equal(await setting('application_name'), 'trackway');
    assert.equal(await setting('statement_timeout'), '15s');
    assert.equal(await setting('transaction_isolation'), 'read committed');
  });

  test('a commit is as durable as the database is configured', async () => {
    const db = await open();
    const { rows } = await sql<{ source: string }>`SELECT source FROM pg_settings
      WHERE name = 'synchronous_commit'`.execute(db.query);
    // Where a connection sets it, the source is `client` or `session`.
    assert.doesNotMatch(rows[0]!.source, /client|session/);
  });

  test('statements are prepared once for each, or not at all where a pooler could not carry them', async () => {
    for (const preparesStatements of [true, false]) {
      const place = await open.emptyPlace();
      const db = await openPostgres<Tables>({ url: place, migrations, poolSize: 1, preparesStatements });
      try {
        for (let i = 0; i < 3; i++) {
          await db.prepare('one', 'SELECT 1 AS one').get();
          await db.transaction((tx) => runRows(tx, INSERT, [['x'], ['y']]));
        }
        const { rows } = await sql<{ name: string }>`SELECT name FROM pg_prepared_statements`.execute(db.query);
        assert.equal(rows.length, preparesStatements ? 2 : 0);
      } finally {
        await db.close();
      }
    }
  });

  test('the collation that folds case is found, and folds', async () => {
    const db = await open();
    assert.equal(db.foldingCollation, 'und-x-icu');
    const row = await db.prepare('fold', `SELECT lower('ÄÉ' COLLATE "und-x-icu") AS x`).get();
    assert.equal(row!.x, 'äé');
  });
});
