import assert from 'node:assert/strict';
import test from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import { pausableProxy } from '../../../testing/pausable-proxy.ts';
import { type Search, SearchesFull, SearchSlow, SearchTooLong } from '../database.ts';
import type { TableShape } from '../shape.ts';

interface Tables {
  rows: { id: number; name: string };
}

const migrations = [{ name: 'rows', up: 'CREATE TABLE rows (id {id}, name {text} NOT NULL)' }];
const shape: TableShape = [
  { name: 'id', kind: 'integer' },
  { name: 'name', kind: 'text' },
];

/** At its deadline; on a machine with much else to do, what computes is too slow before it is too long. */
const isStopped = (error: unknown) => error instanceof SearchTooLong || error instanceof SearchSlow;

onBothEngines<Tables>('searches', { migrations }, (open) => {
  const quick = (owner: string): Search => ({ sql: 'SELECT 7 AS id', cells: [], shape: [shape[0]!], owner });

  /** Runs until something stops it. */
  const endless = (owner: string): Search => ({
    sql:
      open.storeKind === 'sqlite'
        ? 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE within_deadline()) SELECT max(i) AS id FROM n'
        : 'SELECT count(*) AS id FROM generate_series(1, 100000) AS a, generate_series(1, 100000) AS b',
    cells: [],
    shape: [shape[0]!],
    owner,
  });

  const manyRows =
    open.storeKind === 'sqlite'
      ? `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
         INSERT INTO rows (name) SELECT 'row ' || i FROM n`
      : `INSERT INTO rows (name) SELECT 'row ' || i FROM generate_series(1, 200000) AS i`;

  test('a search finds what a direct query finds', async () => {
    const db = await open();
    await db.query
      .insertInto('rows')
      .values(['a', 'b', 'c'].map((name, at) => ({ id: at + 1, name })))
      .execute();
    const found = await db.search({
      sql: 'SELECT id, name FROM rows WHERE name <> ? AND id < ? ORDER BY id DESC',
      cells: ['b', 10],
      shape,
      owner: 'x',
    });
    const direct = await db.query
      .selectFrom('rows')
      .selectAll()
      .where('name', '<>', 'b')
      .orderBy('id', 'desc')
      .execute();
    assert.equal(found, JSON.stringify(direct));
    assert.equal(found, '[{"id":3,"name":"c"},{"id":1,"name":"a"}]');
  });

  test('a query that Kysely compiled can be searched', async () => {
    const db = await open();
    await db.query.insertInto('rows').values({ id: 1, name: 'a' }).execute();
    const query = db.query.selectFrom('rows').selectAll().where('name', '=', 'a').compile();
    const cells = query.parameters as string[];
    assert.equal(await db.search({ sql: query.sql, cells, shape, owner: 'x' }), '[{"id":1,"name":"a"}]');
  });

  test('a search sees what was committed just before', async () => {
    const db = await open();
    const count = { sql: 'SELECT count(*) AS id FROM rows', cells: [], shape: [shape[0]!], owner: 'x' };
    for (let n = 0; n < 20; n += 1) {
      assert.equal(await db.search(count), `[{"id":${n}}]`);
      await db.query
        .insertInto('rows')
        .values({ id: n + 1, name: 'x' })
        .execute();
    }
  });

  test('a search can change nothing', async () => {
    const db = await open();
    await assert.rejects(
      db.search({ sql: `INSERT INTO rows (name) VALUES ('x') RETURNING id, name`, cells: [], shape, owner: 'x' }),
      /read.?only/i,
    );
    assert.deepEqual(await db.query.selectFrom('rows').selectAll().execute(), []);
  });

  test('an error in a search is its own, and the next one works', async () => {
    const db = await open();
    await assert.rejects(db.search({ ...quick('x'), sql: 'SELECT nothing' }), /A search failed: .*nothing/);
    assert.equal(await db.search(quick('x')), '[{"id":7}]');
  });

  test('a long scan that matches nothing ends at the deadline', async () => {
    const place = await open.emptyPlace();
    const patient = await open.at(place, { searchDeadlineMs: 60_000 });
    await sql.raw(manyRows).execute(patient.query);
    const scan: Search = {
      sql:
        open.storeKind === 'sqlite'
          ? `SELECT id, name FROM rows WHERE (("id" & 63) <> 0 OR within_deadline()) AND text_lower(text_lower(name)) = ?`
          : 'SELECT id, name FROM rows WHERE md5(md5(name)) = ?',
      cells: ['nothing'],
      shape,
      owner: 'x',
    };
    assert.equal(await patient.search(scan), '[]');
    const begun = performance.now();
    assert.equal(await patient.search(scan), '[]');
    const wholeScanMs = performance.now() - begun;

    const deadlineMs = Math.ceil(wholeScanMs / 10);
    const hasty = await open.at(place, { searchDeadlineMs: deadlineMs });
    // On a busy machine a thread takes longer to start than this deadline allows.
    const isReady = () => hasty.search(quick('x')).then(Boolean, () => false);
    await eventually('its thread has started', isReady);
    await assert.rejects(hasty.search(scan), (error: unknown) => {
      // Stopped by the engine, not by the timeout for a thread that does not answer.
      assert.match((error as Error).message, /was not done by its deadline|too slow/);
      return isStopped(error);
    });
  });

  test('a search is stopped at its deadline and its thread serves on', async () => {
    const db = await open({ searchDeadlineMs: 100 });
    await assert.rejects(db.search(endless('x')), isStopped);
    await assert.rejects(db.search(endless('x')), isStopped);
    assert.equal(await db.search(quick('x')), '[{"id":7}]');
  });

  if (open.storeKind === 'postgres')
    test('a search that is not broad, and waits all the same, is not said to be', async () => {
      const db = await open({ searchDeadlineMs: 300 });
      await assert.rejects(db.search({ ...quick('x'), sql: 'SELECT 7 AS id FROM pg_sleep(600)' }), SearchSlow);
    });

  test('one owner can’t take every thread', async () => {
    const db = await open({ searchDeadlineMs: 30_000 });
    let greedyDone = 0;
    const greedy = Array.from({ length: 9 }, () =>
      db.search(endless('greedy')).catch(() => {
        greedyDone += 1;
      }),
    );
    for (let n = 0; n < 10; n += 1) assert.equal(await db.search(quick('modest')), '[{"id":7}]');
    assert.equal(greedyDone, 0);
    await db.close();
    await Promise.all(greedy);
  });

  test('an owner has one running and eight waiting, no more', async () => {
    const db = await open({ searchDeadlineMs: 30_000 });
    const nine = Array.from({ length: 9 }, () => db.search(quick('x')));
    await assert.rejects(db.search(quick('x')), SearchesFull);
    assert.deepEqual(new Set(await Promise.all(nine)), new Set(['[{"id":7}]']));
    assert.equal(await db.search(quick('x')), '[{"id":7}]');
  });

  test('two run and sixty-four wait in all, no more', async () => {
    const db = await open({ searchDeadlineMs: 30_000 });
    const many = Array.from({ length: 66 }, (_, n) => db.search(quick(`owner ${n}`)));
    await assert.rejects(db.search(quick('one more')), SearchesFull);
    assert.equal((await Promise.all(many)).length, 66);
  });

  test('who waits longer than the deadline is refused', async () => {
    const db = await open({ searchDeadlineMs: 300 });
    const [first, , third] = await Promise.allSettled([endless('x'), endless('x'), quick('x')].map(db.search));
    assert.ok(first?.status === 'rejected' && isStopped(first.reason));
    assert.ok(third?.status === 'rejected' && third.reason instanceof SearchesFull);
    assert.equal(await db.search(quick('x')), '[{"id":7}]');
  });

  test('closing ends what runs and what waits', async () => {
    const db = await open({ searchDeadlineMs: 60_000 });
    const open3 = Promise.allSettled([endless('x'), endless('x'), endless('y')].map(db.search));
    await db.close();
    for (const outcome of await open3)
      assert.ok(outcome.status === 'rejected' && /closed/.test(outcome.reason.message));
  });

  /** The thread notices its termination in the callback into JavaScript; within SQLite it cannot. */
  test('a thread that does not end at its deadline is replaced', async (t) => {
    const deaf = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE text_lower(i) <> '') SELECT max(i) AS id FROM n`;
    const place = await open.emptyPlace();
    const proxy = open.storeKind === 'postgres' ? await pausableProxy(place) : undefined;
    t.after(() => proxy?.close());
    const db = await open.at(proxy?.url ?? place, { searchDeadlineMs: 100 });
    assert.equal(await db.search(quick('x')), '[{"id":7}]');
    proxy?.pause();
    const begun = performance.now();
    await assert.rejects(
      db.search(open.storeKind === 'sqlite' ? { ...quick('x'), sql: deaf } : quick('x')),
      SearchSlow,
    );
    proxy?.resume();
    const tookMs = performance.now() - begun;
    assert.ok(tookMs > 2000, `${tookMs} ms`);
    assert.equal(await db.search(quick('x')), '[{"id":7}]');
  });
});
