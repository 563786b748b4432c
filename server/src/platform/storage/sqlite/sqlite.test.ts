import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { after, type TestContext } from 'node:test';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import { lockFolder } from './locks.ts';
import { openSqlite } from './sqlite.ts';

interface Tables {
  t: { id?: number; a: string };
}

const migrations = [{ name: 't', up: 'CREATE TABLE t (id {id}, a {text})' }];

const folders: string[] = [];
// Not with each test: the hooks of a test run in the order they were given in, and its database is still open.
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-sqlite-'));
  folders.push(folder);
  return folder;
}

async function opened(t: TestContext, folder: string, readOnly = false): Promise<Database<Tables>> {
  const db = await openSqlite<Tables>({ folder, migrations, readOnly });
  t.after(() => db.close());
  return db;
}

const addTo = (query: Kysely<Tables>, a: string) => query.insertInto('t').values({ a }).execute();

test('what is committed is in a write-ahead log that is flushed, with foreign keys on', async (t) => {
  const db = await opened(t, join(temporaryFolder(), 'made', 'if', 'need', 'be'));
  const pragma = async (name: string) => {
    const { rows } = await sql.raw<Record<string, unknown>>(`PRAGMA ${name}`).execute(db.query);
    return Object.values(rows[0]!)[0];
  };
  assert.equal(await pragma('journal_mode'), 'wal');
  assert.equal(await pragma('synchronous'), 2);
  assert.equal(await pragma('foreign_keys'), 1);
});

test('a transaction begun by hand is refused and undone', async (t) => {
  const db = await opened(t, temporaryFolder());
  await assert.rejects(sql`BEGIN`.execute(db.query), /use transaction/);
  await addTo(db.query, 'x');
  assert.equal((await db.query.selectFrom('t').selectAll().execute()).length, 1);
});

test('after SQLite itself rolled back, nothing more of the transaction is done', async (t) => {
  const db = await opened(t, temporaryFolder());
  const spoiled = db.transaction(async (tx) => {
    await sql`INSERT OR ROLLBACK INTO t (id, a) VALUES (1, 'x')`.execute(tx);
    await assert.rejects(sql`INSERT OR ROLLBACK INTO t (id, a) VALUES (1, 'y')`.execute(tx));
    await addTo(tx, 'alone');
  });
  await assert.rejects(spoiled, /rolled back by an earlier error/);
  assert.deepEqual(await db.query.selectFrom('t').selectAll().execute(), []);
  await addTo(db.query, 'after');
});

test('a prepared statement can’t write', async (t) => {
  const db = await opened(t, temporaryFolder());
  const write = db.prepare('write', `INSERT INTO t (a) VALUES ('x') RETURNING id`);
  await assert.rejects(write.get(), /readonly/);
});

test('closing waits for the transaction that is open', async (t) => {
  const folder = temporaryFolder();
  const db = await opened(t, folder);
  let closed: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    closed = db.close();
    await addTo(tx, 'x');
  });
  await closed;
  assert.deepEqual(readdirSync(folder), ['trackway.db']);
  const again = await opened(t, folder);
  assert.equal((await again.query.selectFrom('t').selectAll().execute()).length, 1);
});

test('read only, it looks and changes nothing', async (t) => {
  const folder = temporaryFolder();
  await assert.rejects(opened(t, folder, true), /no database/);
  assert.deepEqual(readdirSync(folder), []);
  const db = await opened(t, folder);
  await addTo(db.query, 'x');
  const onlooker = await opened(t, folder, true);
  assert.equal((await onlooker.query.selectFrom('t').selectAll().execute()).length, 1);
  await assert.rejects(addTo(onlooker.query, 'y'), /readonly/);
  await assert.rejects(
    openSqlite({ folder, migrations: [...migrations, { name: 'next', up: 'SELECT 1' }], readOnly: true }),
    /older version.*next/,
  );
});

test('a commit of another process shows in changes()', async (t) => {
  const folder = temporaryFolder();
  const db = await opened(t, folder);
  const before = db.changes();
  const other = spawn(process.execPath, [
    '-e',
    `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(join(folder, 'trackway.db'))}).exec("INSERT INTO t (a) VALUES ('x')")`,
  ]);
  assert.deepEqual(await once(other, 'exit'), [0, null]);
  assert.notEqual(db.changes(), before);
});

test('a backup is a whole database, made while others write', async (t) => {
  const folder = temporaryFolder();
  const db = await opened(t, folder);
  // Each transaction writes two rows: a copy with an odd number of rows is inconsistent.
  let running = true;
  const writing = (async () => {
    while (running) {
      await db.transaction(async (tx) => {
        await addTo(tx, 'one');
        await new Promise(setImmediate);
        await addTo(tx, 'two');
      });
    }
  })();
  const files = ['a.db', 'b.db', 'c.db'].map((name) => join(folder, name));
  for (const file of files) await db.backup!(file);
  running = false;
  await writing;
  for (const file of files) {
    const copy = new DatabaseSync(file, { readOnly: true });
    assert.equal(copy.prepare('PRAGMA integrity_check').get()!.integrity_check, 'ok');
    assert.equal((copy.prepare('SELECT count(*) AS n FROM t').get()!.n as number) % 2, 0);
    copy.close();
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  }
});

test('a backup overwrites nothing, not even an empty file', async (t) => {
  const folder = temporaryFolder();
  const db = await opened(t, folder);
  for (const content of ['', 'something']) {
    const file = join(folder, 'taken');
    writeFileSync(file, content);
    await assert.rejects(db.backup!(file), /already exists/);
    assert.equal(statSync(file).size, content.length);
  }
});

test('a backup that fails leaves nothing', async (t) => {
  const folder = temporaryFolder();
  const db = await opened(t, folder);
  await assert.rejects(db.backup!(join(folder, 'no', 'such', 'folder.db')), /ENOENT/);
  const wanted = join(folder, 'full.db');
  rmSync(join(folder, 'trackway.db'));
  await assert.rejects(db.backup!(wanted));
  assert.deepEqual(
    readdirSync(folder).filter((name) => !name.startsWith('trackway.db')),
    [],
  );
});

test('a folder is locked by one process at a time, and within it by one holder', () => {
  const folder = temporaryFolder();
  const release = lockFolder(folder);
  assert.throws(() => lockFolder(folder), /Another process is using the folder/);
  release();
  release();
  lockFolder(folder)();
});

test('the lock of a folder holds against another process and dies with it', async (t) => {
  const folder = temporaryFolder();
  const holder = spawn(process.execPath, [
    '--input-type=module-typescript',
    '-e',
    `import { lockFolder } from ${JSON.stringify(new URL('./locks.ts', import.meta.url).href)};
     lockFolder(${JSON.stringify(folder)});
     console.log('locked');
     setInterval(() => {}, 1000);`,
  ]);
  t.after(() => holder.kill('SIGKILL'));
  const [said] = await once(holder.stdout, 'data');
  assert.equal(String(said), 'locked\n');
  assert.throws(() => lockFolder(folder), /Another process is using the folder/);
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
  lockFolder(folder)();
});
