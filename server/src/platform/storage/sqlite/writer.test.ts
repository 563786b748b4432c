import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { NotUnique } from '../database.ts';
import { openConnection } from './connection.ts';
import { keepWriterThreads, SqliteWriter } from './writer.ts';

const order = (sql: string, ...cells: (string | number)[]) => ({ sql, cells });
/** A statement that keeps SQLite busy for some hundred milliseconds. */
const LONG = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT max(i) AS "most" FROM n`;

function writerOf(t: TestContext): SqliteWriter {
  const folder = mkdtempSync(join(tmpdir(), 'test-writer-'));
  const file = join(folder, 'trackway.db');
  const first = openConnection(file);
  first.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE)');
  first.close();
  const writer = new SqliteWriter(file, { readOnly: false });
  t.after(async () => {
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return writer;
}

test('while SQLite works, the main thread goes on', async (t) => {
  const writer = writerOf(t);
  await writer.ask({ do: 'first', what: order('SELECT 1') });
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const { outcome } = await writer.ask({ do: 'next', what: order(LONG) });
  isDone = true;
  assert.deepEqual(outcome, { rows: [[1_000_000]], columns: ['most'] });
  assert.ok(turns > 50, `only ${turns} turns`);
  await writer.ask({ do: 'rollback' });
});

test('whoever asked gets the answer, and a failure harms nobody else', async (t) => {
  const writer = writerOf(t);
  const put = (a: string) => ({ sql: 'INSERT INTO t (a) VALUES (?)', cells: [a] });
  const asked = await Promise.allSettled([
    writer.ask({ do: 'first', what: put('one') }),
    writer.ask({ do: 'next', what: put('one') }),
    writer.ask({ do: 'next', what: put('two') }),
    writer.ask({ do: 'commit' }),
    writer.ask({ do: 'alone', what: order('SELECT count(*) AS "rows" FROM t') }),
  ]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  const failure = (asked[1] as PromiseRejectedResult).reason;
  assert.ok(failure instanceof NotUnique);
  assert.deepEqual(failure.columns, ['a']);
  assert.deepEqual((asked[4] as PromiseFulfilledResult<{ outcome?: { rows: unknown } }>).value.outcome?.rows, [[2]]);
});

test('without its thread nothing is written, and every caller gets an error', async (t) => {
  const writer = new SqliteWriter(join(tmpdir(), 'no', 'such', 'folder', 'trackway.db'), { readOnly: false });
  t.after(() => writer.close());
  const write = () => writer.ask({ do: 'alone', what: order('SELECT 1') });
  await assert.rejects(write(), /unable to open/);
  await assert.rejects(write(), /unable to open/, 'the reason of the end');
});

test('work that could not be opened while the store was in trouble is opened by the next order', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'test-writer-'));
  const file = join(folder, 'trackway.db');
  openConnection(file).close();
  const writer = new SqliteWriter(file, { readOnly: false });
  t.after(async () => {
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const module = join(folder, 'work.mjs');
  const open = `(workplace) => { const all = workplace.prepare('all', 'SELECT "a" FROM "t"');
    return { run: () => all.all(), committed: (rows) => rows.length }; }`;
  writeFileSync(module, `export const work = { module: import.meta.url, open: ${open} };`);
  const work = writer.openWork(pathToFileURL(module).href, undefined);
  await assert.rejects(work(undefined), /no such table/);
  await writer.ask({ do: 'alone', what: order('CREATE TABLE "t" ("a" TEXT)') });
  assert.equal((await work(undefined)).output, 0);
});

test('work that cannot be committed fails', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'test-writer-'));
  const file = join(folder, 'trackway.db');
  const first = openConnection(file);
  // Such a key is checked by the commit.
  first.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, other INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)');
  first.close();
  const writer = new SqliteWriter(file, { readOnly: false });
  t.after(async () => {
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const module = join(folder, 'work.mjs');
  const open = `() => ({ run: (tx, other) => tx.insertInto('t').values({ other }).execute(), committed: () => 'done' })`;
  writeFileSync(module, `export const work = { module: import.meta.url, open: ${open} };`);
  const work = writer.openWork(pathToFileURL(module).href, undefined);
  await assert.rejects(work(7), /FOREIGN KEY/);
  assert.equal((await work(null)).output, 'done');
  const { outcome } = await writer.ask({ do: 'alone', what: order('SELECT count(*) AS "rows" FROM "t"') });
  assert.deepEqual(outcome?.rows, [[1]]);
});

test('a thread that is kept writes to the next database, and keeps nothing of the last', async (t) => {
  // More than other tests of this process have left.
  keepWriterThreads(100);
  t.after(() => keepWriterThreads(4));
  const folder = mkdtempSync(join(tmpdir(), 'test-writer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const module = join(folder, 'work.mjs');
  // It counts its runs, and how often the thread has loaded it.
  writeFileSync(
    module,
    `let opened = 0;
    const open = () => { opened++; let runs = 0; return { run: async () => ++runs, committed: (n) => [opened, n] }; };
    export const work = { module: import.meta.url, open };`,
  );
  const outputs: unknown[] = [];
  for (const name of ['one', 'two']) {
    const file = join(folder, `${name}.db`);
    openConnection(file).close();
    const writer = new SqliteWriter(file, { readOnly: false });
    await writer.ask({ do: 'alone', what: order(`CREATE TABLE "${name}" ("a" TEXT)`) });
    const work = writer.openWork(pathToFileURL(module).href, undefined);
    outputs.push((await work(undefined)).output);
    await assert.rejects(writer.ask({ do: 'next', what: order('SELECT 1') }), /was rolled back/);
    await writer.close();
    await assert.rejects(writer.ask({ do: 'alone', what: order('SELECT 1') }), /has ended/);
    const tables = openConnection(file).prepare('SELECT "name" FROM "sqlite_schema"').all();
    assert.deepEqual(
      tables.map((table) => table.name),
      [name],
    );
  }
  assert.deepEqual(
    outputs,
    [
      [1, 1],
      [2, 1],
    ],
    'the second database was opened by the same thread, with work of its own',
  );
});
