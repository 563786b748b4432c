import assert from 'node:assert/strict';
import test from 'node:test';
import type { Generated } from 'kysely';
import { onBothEngines } from '../../testing/databases.ts';
import { type Added, addThings } from '../../testing/storage/adding-work.ts';
import { NotUnique } from './database.ts';
import { dialectOf } from './dialect.ts';
import { runSql } from './run-sql.ts';
import { presentRow, storeValues, type TableShape } from './shape.ts';

interface Tables {
  things: {
    id: Generated<number>;
    name: string;
    groupName: string | null;
    rank: number | null;
  };
  kinds: Record<string, string | number | null>;
}

const migrations = [
  {
    name: 'things',
    up: `
      CREATE TABLE things (id {id}, name {text} NOT NULL UNIQUE, "groupName" {text}, rank {integer});
      CREATE UNIQUE INDEX "thingRank" ON things ("groupName", rank);
      CREATE TABLE kinds (
        whole {integer}, part {number}, words {text}, yes {flag}, at {time}, "any" {json}, tags {texts},
        "spotLat" {number}, "spotLng" {number}
      );
    `,
  },
];

const plain = <T>(rows: T[]): T[] => rows.map((row) => ({ ...row }));

onBothEngines<Tables>('the seam', { migrations }, (open) => {
  const add = (name: string) => ({ name, groupName: null, rank: null });

  test('a transaction commits all of its work', async () => {
    const db = await open();
    const answer = await db.transaction(async (tx) => {
      await tx.insertInto('things').values(add('a')).execute();
      await tx.insertInto('things').values(add('b')).execute();
      return 'done';
    });
    assert.equal(answer, 'done');
    const rows = await db.query.selectFrom('things').select('name').orderBy('id').execute();
    assert.deepEqual(plain(rows), [{ name: 'a' }, { name: 'b' }]);
  });

  test('a transaction that throws leaves nothing', async () => {
    const db = await open();
    const failed = db.transaction(async (tx) => {
      await tx.insertInto('things').values(add('a')).execute();
      throw new Error('on purpose');
    });
    await assert.rejects(failed, /on purpose/);
    assert.deepEqual(await db.query.selectFrom('things').selectAll().execute(), []);
  });

  test('work is one transaction, wherever it is done, and keeps what it knows', async () => {
    const db = await open();
    const add = db.work(addThings, { by: 'the test' });
    assert.deepEqual(await add({ names: ['a', 'b'] }), { rows: 2, commits: 1, by: 'the test' });
    await assert.rejects(add({ names: ['c'], fails: true }), /on purpose/);
    await assert.rejects(add({ names: ['d', 'a'] }), /a is there already/);
    const [one, other] = await Promise.all([
      add({ names: ['e'] }),
      db.work(addThings, { by: 'another' })({ names: ['f'] }),
    ]);
    assert.deepEqual([one.commits, other.commits], [2, 1]);
    const rows = await db.query.selectFrom('things').select('name').orderBy('name').execute();
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['a', 'b', 'e', 'f'],
    );
  });

  test('work waits for a transaction that is open, and sees nothing of it', async () => {
    const db = await open();
    const work = db.work(addThings, { by: 'the test' });
    let added: Promise<Added> | undefined;
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.insertInto('things').values(add('inside')).execute();
        added = work({ names: ['beside'] });
        throw new Error('on purpose');
      }),
      /on purpose/,
    );
    assert.equal((await added!).rows, 1);
  });

  test('every query knows its database, and rows are locked by the same query', async () => {
    const db = await open();
    assert.equal(dialectOf(db.query), db.dialect);
    await db.query.insertInto('things').values(add('a')).execute();
    await db.transaction(async (tx) => {
      assert.equal(dialectOf(tx), db.dialect);
      const things = tx.selectFrom('things').select('name').where('name', '=', 'a');
      for (const locked of [
        things.forUpdate(),
        things.forNoKeyUpdate().skipLocked(),
        things.forShare().noWait(),
        things.distinct(),
      ])
        assert.deepEqual(plain(await locked.execute()), [{ name: 'a' }]);
    });
  });

  test('of two texts, statements run the one that is meant for their database', async () => {
    const db = await open();
    const text = {
      sqlite: "SELECT 'sqlite' AS name, ? AS cell",
      postgres: "SELECT 'postgres' AS name, ?::TEXT AS cell",
    };
    const answer = { name: db.dialect.name, cell: 'a' };
    assert.deepEqual({ ...(await db.prepare('ofTwoTexts', text).get('a')) }, answer);
    assert.deepEqual(plain(await runSql(db.query, text, ['a'])), [answer]);
  });

  test('nobody sees the inside of an open transaction', async () => {
    const db = await open();
    const byName = db.prepare('thingByName', 'SELECT name FROM things WHERE name = ?');
    await db.transaction(async (tx) => {
      await tx.insertInto('things').values(add('a')).execute();
      assert.equal((await tx.selectFrom('things').selectAll().execute()).length, 1);
      assert.deepEqual(await db.query.selectFrom('things').selectAll().execute(), []);
      assert.equal(await byName.get('a'), undefined);
    });
    assert.deepEqual({ ...(await byName.get('a')) }, { name: 'a' });
  });

  test('a write beside a transaction is no part of it', async () => {
    const db = await open();
    let beside: Promise<unknown> | undefined;
    const failed = db.transaction(async (tx) => {
      await tx.insertInto('things').values(add('inside')).execute();
      beside = db.query.insertInto('things').values(add('beside')).execute();
      // Turns enough for the write beside to run, were it let in.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      throw new Error('on purpose');
    });
    await assert.rejects(failed, /on purpose/);
    await beside;
    assert.deepEqual(plain(await db.query.selectFrom('things').select('name').execute()), [{ name: 'beside' }]);
  });

  test('transactions at the same time do not lose each other’s work', async () => {
    const db = await open();
    await db.query.insertInto('things').values({ name: 'counter', groupName: null, rank: 0 }).execute();
    const count = async (n: number) =>
      db.transaction(async (tx) => {
        const { rank } = await tx
          .updateTable('things')
          .set((eb) => ({ rank: eb('rank', '+', 1) }))
          .where('name', '=', 'counter')
          .returning('rank')
          .executeTakeFirstOrThrow();
        await tx
          .insertInto('things')
          .values({ name: `${n}`, groupName: 'counted', rank })
          .execute();
      });
    await Promise.all(Array.from({ length: 40 }, (_, n) => count(n)));
    const ranks = await db.query.selectFrom('things').select('rank').where('groupName', '=', 'counted').execute();
    assert.deepEqual(
      ranks.map((row) => row.rank).sort((a, b) => a! - b!),
      Array.from({ length: 40 }, (_, n) => n + 1),
    );
  });

  test('a transaction after a failed one works', async () => {
    const db = await open();
    await db.query.insertInto('things').values(add('a')).execute();
    const twice = db.transaction((tx) => tx.insertInto('things').values(add('a')).execute());
    await assert.rejects(twice, NotUnique);
    await db.transaction((tx) => tx.insertInto('things').values(add('b')).execute());
    assert.equal((await db.query.selectFrom('things').selectAll().execute()).length, 2);
  });

  test('a unique violation names its columns', async () => {
    const db = await open();
    const insert = (row: { id?: number; name: string; groupName: string | null; rank: number | null }) =>
      db.query.insertInto('things').values(row).execute();
    const columns = (names: string[]) => (error: unknown) => {
      assert.ok(error instanceof NotUnique);
      assert.deepEqual(error.columns, names);
      assert.ok(error.cause);
      return true;
    };
    await insert({ id: 1000, name: 'a, b.c', groupName: 'g)=(', rank: 1 });
    await assert.rejects(insert(add('a, b.c')), columns(['name']));
    await assert.rejects(insert({ name: 'b', groupName: 'g)=(', rank: 1 }), columns(['groupName', 'rank']));
    await assert.rejects(insert({ id: 1000, ...add('c') }), columns(['id']));
  });

  test('the number of changed rows is returned', async () => {
    const db = await open();
    await db.query
      .insertInto('things')
      .values([add('a'), add('b'), add('c')])
      .execute();
    const updated = await db.query.updateTable('things').set({ rank: 1 }).where('name', '<', 'c').executeTakeFirst();
    assert.equal(updated.numUpdatedRows, 2n);
    const deleted = await db.query.deleteFrom('things').where('name', '=', 'c').executeTakeFirst();
    assert.equal(deleted.numDeletedRows, 1n);
  });

  test('a prepared statement finds one, all or nothing', async () => {
    const db = await open();
    await db.query
      .insertInto('things')
      .values([add('what?'), add('b')])
      .execute();
    const named = db.prepare('named', `SELECT name, '?' AS mark FROM things WHERE name = ? /* why? */ AND id < ?`);
    assert.deepEqual({ ...(await named.get('what?', 10)) }, { name: 'what?', mark: '?' });
    assert.equal(await named.get('c', 10), undefined);
    assert.deepEqual(plain(await named.all('b', 10)), [{ name: 'b', mark: '?' }]);
    assert.deepEqual(await named.all('b', 0), []);
    assert.deepEqual(await named.lists('b', 10), [['b', '?']]);
    assert.deepEqual(plain(await named.all('b', 10)), [{ name: 'b', mark: '?' }], 'rows again after lists');
  });

  test('a name of a statement stands for one statement', async () => {
    const db = await open();
    db.prepare('x', 'SELECT 1 AS one');
    db.prepare('x', 'SELECT 1 AS one');
    assert.throws(() => db.prepare('x', 'SELECT 2 AS two'), /is already used for another statement/);
  });

  test('an error of a prepared statement is a rejection', async () => {
    const db = await open();
    const broken = db.prepare('broken', `SELECT ${open.storeKind === 'sqlite' ? `json('{')` : '1 / 0'} AS x`);
    await assert.rejects(broken.get());
    await assert.rejects(broken.all());
  });

  test('a count, a sum, an average and a truth are numbers', async () => {
    const db = await open();
    await db.query
      .insertInto('things')
      .values([1, 2].map((rank) => ({ name: `${rank}`, groupName: null, rank })))
      .execute();
    const row = await db
      .prepare('sums', 'SELECT count(*) AS n, sum(rank) AS total, avg(rank) AS mean, max(rank) > 1 AS big FROM things')
      .get();
    assert.deepEqual({ ...row }, { n: 2, total: 3, mean: 1.5, big: 1 });
  });

  const shape: TableShape = [
    { name: 'whole', kind: 'integer' },
    { name: 'part', kind: 'number' },
    { name: 'words', kind: 'text' },
    { name: 'yes', kind: 'flag' },
    { name: 'at', kind: 'time' },
    { name: 'any', kind: 'json' },
    { name: 'tags', kind: 'texts' },
    { name: 'spot', kind: 'place' },
  ];
  const values = [
    {
      whole: Number.MAX_SAFE_INTEGER,
      part: 0.1 + 0.2,
      words: 'Straße 🚚 \\ \'"\n',
      yes: true,
      at: '2026-02-28T23:59:59.999Z',
      any: { b: [1, 2.5, null, { c: 'ü' }], a: false },
      tags: ['x', '', '"'],
      spot: { lat: -33.8567844, lng: 151.213108 },
    },
    {
      whole: -1,
      part: -1e-300,
      words: '',
      yes: false,
      at: '1969-07-20T20:17:40.000Z',
      any: 'text',
      tags: [],
      spot: { lat: 0, lng: 0 },
    },
    { whole: null, part: null, words: null, yes: null, at: null, any: null, tags: null, spot: null },
    { whole: 0, part: 5, words: '5', yes: false, at: '1970-01-01T00:00:00.000Z', any: 5, tags: ['5'], spot: null },
  ];

  test('every kind comes back as it went in', async () => {
    const db = await open();
    for (const value of values) {
      await db.query.deleteFrom('kinds').execute();
      await db.query.insertInto('kinds').values(storeValues(shape, value)).execute();
      const viaKysely = await db.query.selectFrom('kinds').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual(presentRow(shape, viaKysely), value);
      const viaStatement = await db.prepare('kinds', 'SELECT * FROM kinds').get();
      assert.deepEqual(presentRow(shape, viaStatement!), value);
      const viaSearch = await db.search({ sql: 'SELECT * FROM kinds', cells: [], shape, owner: 'x' });
      assert.deepEqual(JSON.parse(viaSearch), [value]);
    }
  });

  test('of two transactions that wait for each other both are done in the end', async () => {
    const db = await open();
    await db.query
      .insertInto('things')
      .values([add('a'), add('b')])
      .execute();
    const touch = (tx: typeof db.query, name: string, rank: number) =>
      tx.updateTable('things').set({ rank }).where('name', '=', name).execute();
    let met = 0;
    const meet = async () => {
      met += 1;
      // On SQLite one transaction is open at a time, so they never meet.
      while (open.storeKind === 'postgres' && met < 2) await new Promise((resolve) => setImmediate(resolve));
    };
    await Promise.all([
      db.transaction(async (tx) => {
        await touch(tx, 'a', 1);
        await meet();
        await touch(tx, 'b', 1);
      }),
      db.transaction(async (tx) => {
        await touch(tx, 'b', 2);
        await meet();
        await touch(tx, 'a', 2);
      }),
    ]);
    assert.equal(met, open.storeKind === 'postgres' ? 3 : 2, 'one of them began again');
    const ranks = await db.query.selectFrom('things').select('rank').distinct().execute();
    assert.equal(ranks.length, 1, 'each was done whole');
  });

  test('changes() distinguishes a commit from none, where the store can', async () => {
    const place = await open.emptyPlace();
    const db = await open.at(place);
    if (open.storeKind === 'postgres') {
      assert.equal(db.changes(), undefined);
      return;
    }
    const start = db.changes();
    await db.query.selectFrom('things').selectAll().execute();
    assert.equal(db.changes(), start);
    await db.query.insertInto('things').values(add('a')).execute();
    const afterWrite = db.changes();
    assert.notEqual(afterWrite, start);
    await db.transaction(async (tx) => {
      await tx.insertInto('things').values(add('b')).execute();
      assert.equal(db.changes(), afterWrite);
    });
    const afterTransaction = db.changes();
    assert.notEqual(afterTransaction, afterWrite);
    const other = await open.at(place);
    await other.query.insertInto('things').values(add('c')).execute();
    // Another process's commit shows from the next turn of the event loop on.
    await new Promise((resolve) => setImmediate(resolve));
    assert.notEqual(db.changes(), afterTransaction);
  });

  test('it answers a ping, and not once closed', async () => {
    const db = await open();
    await db.ping();
    await Promise.all([db.close(), db.close()]);
    await assert.rejects(db.ping());
    await assert.rejects(db.query.selectFrom('things').selectAll().execute());
    await assert.rejects(db.search({ sql: 'SELECT 1 AS x', cells: [], shape: [], owner: 'x' }), /closed/);
  });
});
