import assert from 'node:assert/strict';
import test from 'node:test';
import { threadId } from 'node:worker_threads';
import { onBothEngines } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import { heldReadWork } from '../../../testing/storage/held-read-work.ts';
import { SearchesFull } from '../database.ts';
import { defineReadWork } from '../work.ts';

interface Tables {
  rows: { id: number; name: string };
}

const migrations = [{ name: 'rows', up: 'CREATE TABLE rows (id {id}, name {text} NOT NULL)' }];

/** What work began, and the signal that lets it end. */
function signals() {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  return {
    shared,
    begun: () => Atomics.load(shared, 0),
    end() {
      Atomics.store(shared, 1, 1);
      Atomics.notify(shared, 1);
    },
  };
}

onBothEngines<Tables>('read work', { migrations }, (open) => {
  test('it runs on another thread and sees what was committed', async () => {
    const db = await open();
    await db.query
      .insertInto('rows')
      .values({ name: 'a' } as never)
      .execute();
    const { shared, end } = signals();
    end();
    const answer = await db.readWork(heldReadWork)({ sql: 'SELECT name FROM rows', shared }, 'a');
    assert.notEqual(answer.threadId, threadId);
    assert.deepEqual(
      answer.rows.map((row) => ({ ...(row as object) })),
      [{ name: 'a' }],
    );
  });

  test('it can change nothing, and its error is its own', async () => {
    const db = await open();
    const { shared, end } = signals();
    end();
    const work = db.readWork(heldReadWork);
    const change = `INSERT INTO rows (name) VALUES ('b') RETURNING id`;
    await assert.rejects(work({ sql: change, shared }, 'a'), /read-only|readonly/);
    assert.deepEqual((await work({ sql: 'SELECT name FROM rows', shared }, 'a')).rows, []);
  });

  test('an owner has two under way and a thread is left for others; what waits is bounded', async () => {
    const db = await open();
    const work = db.readWork(heldReadWork);
    const [a, b] = [signals(), signals()];
    const ask = (owner: string, { shared }: typeof a) => work({ sql: 'SELECT name FROM rows', shared }, owner);
    const running = [ask('a', a), ask('a', a)];
    await eventually('two of the first owner run', () => a.begun() === 2);
    const waiting = Array.from({ length: 16 }, () => ask('a', a));
    await assert.rejects(ask('a', a), SearchesFull);
    const other = ask('b', b);
    await eventually('one of the other owner runs', () => b.begun() === 1);
    b.end();
    await other;
    assert.equal(a.begun(), 2);
    a.end();
    await Promise.all([...running, ...waiting]);
  });

  test('threads that start one after the other all serve in the end', async () => {
    const db = await open();
    const work = db.readWork(heldReadWork);
    const owners = ['a', 'b', 'c'].map((owner) => ({ owner, ...signals() }));
    const all = owners.map(({ owner, shared }) => work({ sql: 'SELECT name FROM rows', shared }, owner));
    const begun = () => owners.map((each) => each.begun());
    await eventually('all run in the end', () => begun().every((count) => count === 1));
    for (const { end } of owners) end();
    assert.equal(new Set((await Promise.all(all)).map((answer) => answer.threadId)).size, 3);
  });

  test('a module without work is reported', async () => {
    const db = await open();
    const missing = defineReadWork<Tables, undefined, undefined>(
      new URL('./queue.ts', import.meta.url).href,
      async () => undefined,
    );
    await assert.rejects(db.readWork(missing)(undefined, 'a'), /exports no work/);
  });
});
