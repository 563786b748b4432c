import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkpointer } from './care/mark.ts';
import { startCheckpoints } from './checkpoints.ts';
import { openConnection } from './connection.ts';
import { Mutex } from './locks.ts';

const DUE_PAGES = 50;
const PATIENCE_MS = 20_000;

test('the log begins anew while someone writes without pause, and nothing is lost', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-checkpoints-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'trackway.db');
  const writer = openConnection(file);
  writer.exec('CREATE TABLE "written" ("id" INTEGER PRIMARY KEY, "text" TEXT)');
  const insert = writer.prepare('INSERT INTO "written" ("text") VALUES (?)');
  const log = writer.prepare('PRAGMA wal_checkpoint(NOOP)');
  const writing = new Mutex(PATIENCE_MS, 'Waited too long.');
  writer.exec('PRAGMA wal_autocheckpoint = 0');
  const autoCheckpoint = () => assert.fail('The thread has ended.');
  const checkpoints = startCheckpoints(file, { writing, autoCheckpoint, duePages: DUE_PAGES });

  let rows = 0;
  let restarts = 0;
  let pages = 0;
  for (const endsAt = Date.now() + PATIENCE_MS; restarts < 3 && Date.now() < endsAt; rows++) {
    await writing.lock();
    insert.run('x'.repeat(20_000));
    const before = pages;
    const { log: written, checkpointed } = log.get() as { log: number; checkpointed: number };
    pages = written;
    if (pages < before) restarts++;
    checkpoints.committed(written - checkpointed);
    writing.unlock();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await checkpoints.close();
  writer.close();

  assert.equal(restarts, 3);
  const again = openConnection(file, { readOnly: true });
  assert.equal(again.prepare('SELECT count(*) AS "rows" FROM "written"').get()!.rows, rows);
  assert.equal(again.prepare('PRAGMA integrity_check').get()!.integrity_check, 'ok');
  again.close();
});

test('the writer copies a short log itself; a long one is copied by a thread, which keeps at it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-checkpoints-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'trackway.db');
  const writer = openConnection(file);
  t.after(() => writer.close());
  writer.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE "written" ("text" TEXT)');
  const writing = new Mutex(PATIENCE_MS, 'Waited too long.');
  const copy = checkpointer(writer, file, false);
  let byWriter = 0;
  const checkpoints = startCheckpoints(file, {
    writing,
    autoCheckpoint: () => assert.fail('The thread has ended.'),
    duePages: DUE_PAGES,
    atWriter: async (task) => {
      byWriter++;
      return copy(task);
    },
  });
  const left = () => copy('mark')!;
  async function copied(pages: number): Promise<void> {
    const insert = writer.prepare('INSERT INTO "written" VALUES (?)');
    for (let page = 0; page < pages; page += 5) insert.run('x'.repeat(20_000));
    assert.ok(left() >= pages);
    checkpoints.committed(left());
    while (left() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // The lock is given back once the answer is there.
    await writing.lock();
    writing.unlock();
  }
  await copied(2 * DUE_PAGES);
  assert.equal(byWriter, 1);
  await copied(1200);
  assert.equal(byWriter, 1);
  await checkpoints.close();
});
