import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { SQLITE } from '../storage/dialect.ts';
import { registerFunctions } from '../storage/sqlite/connection.ts';
import { compileList } from './compile.ts';
import type { FilterFields } from './fields.ts';
import { parseFilter } from './parse.ts';

const fields: FilterFields = {
  shape: [
    { name: 'id', kind: 'integer' },
    { name: 'timestamp', kind: 'time' },
    { name: 'type', kind: 'text' },
    { name: 'about', kind: 'integer' },
  ],
  timeRange: 'timestamp',
  indexed: ['type'],
};
const base = { sql: '"parent" = ?', cells: [1] };
const start = Date.UTC(2024, 0, 1);
const rowsInAll = 60_000;
const end = start + rowsInAll * 60_000;

interface Pace {
  readonly rows: number;
  /** The minute of row number `i`, up to about 60 000. */
  readonly minute: string;
}

const even: Pace = { rows: rowsInAll, minute: 'i + (i * 7919) % 5' };
const paces: Record<string, Pace> = {
  'a little out of order': even,
  scattered: { rows: 6_000, minute: '(i * 79190) % 60000' },
  backwards: { rows: 6_000, minute: '60000 - i * 10' },
};

/** Every third row belongs to another parent; one type in a thousand is rare. */
function openReadings({ rows, minute }: Pace, lookedAt: () => void = () => {}): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  registerFunctions(database, lookedAt);
  database.exec(`
    CREATE TABLE readings (
      "id" INTEGER PRIMARY KEY AUTOINCREMENT, "parent" INTEGER NOT NULL, "timestamp" INTEGER NOT NULL,
      "type" TEXT NOT NULL, "about" INTEGER);
    CREATE INDEX "by id" ON readings ("parent", "id", "timestamp");
    CREATE INDEX "by time" ON readings ("parent", "timestamp", "id");
    CREATE INDEX "by type" ON readings ("parent", "type", "id", "timestamp");
    CREATE INDEX "about by id" ON readings ("about", "id", "timestamp");
    CREATE INDEX "about by time" ON readings ("about", "timestamp", "id");
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO readings ("parent", "timestamp", "type", "about")
    SELECT CASE i % 3 WHEN 0 THEN 2 ELSE 1 END, ${start} + (${minute}) * 60000,
      CASE WHEN i % 1000 = 1 THEN 'rare' ELSE 'common' END, i % 50 FROM n`);
  return database;
}

interface Asked {
  readonly where?: object;
  readonly order?: string;
  readonly limit?: number;
  readonly skip?: number;
}

function compiled(filter: Asked) {
  const parsed = parseFilter([['filter', JSON.stringify(filter)]], fields);
  return compileList({ dialect: SQLITE }, 'readings', fields, base, parsed, { now: end });
}

const narrow = { timestamp: { between: [start + 3_000 * 60_000, start + 3_100 * 60_000] } };
const early = { timestamp: { lt: end - 5 * 60_000 } };
const late = { timestamp: { gt: start + 20_000 * 60_000 } };
const pages = [
  { limit: 100 },
  { limit: 7, skip: 15 },
  { skip: 20 },
  { limit: 3, skip: 25_000 },
  { skip: Number.MAX_SAFE_INTEGER },
];
const orders = [undefined, 'id DESC', 'timestamp', 'timestamp DESC', 'timestamp DESC, id DESC', 'about DESC'];

describe('lists of 60 000 rows', () => {
  let database: DatabaseSync;
  let checks = 0;
  before(() => {
    database = openReadings(even, () => {
      checks += 1;
    });
  });
  after(() => database.close());

  /** Returns the indexes that SQLite uses to find rows, in its own words; a table scan would be listed too. */
  function plan(filter: Asked): string[] {
    const { sql, cells } = compiled(filter);
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...cells);
    return steps
      .map((step) => String(step.detail))
      .filter((detail) => /^(SEARCH|SCAN) readings USING|^SCAN readings$|B-TREE/.test(detail))
      .map((detail) => detail.replace(/^SEARCH readings USING /, ''));
  }

  test('by id: its index, without sorting', () => {
    for (const order of [undefined, 'id DESC']) assert.deepEqual(plan({ order }), ['INDEX by id (parent=?)']);
  });
  test('by time: its index, from either end', () => {
    assert.deepEqual(plan({ order: 'timestamp' }), ['INDEX by time (parent=?)']);
    assert.deepEqual(plan({ order: 'timestamp DESC, id DESC' }), ['INDEX by time (parent=?)']);
    // Rows of the same instant are sorted by id.
    assert.deepEqual(plan({ order: 'timestamp DESC' }), [
      'INDEX by time (parent=?)',
      'USE TEMP B-TREE FOR LAST TERM OF ORDER BY',
    ]);
  });
  test('a time range by time: its index, without sorting', () => {
    assert.deepEqual(plan({ where: narrow, order: 'timestamp' }), [
      'INDEX by time (parent=? AND timestamp>? AND timestamp<?)',
    ]);
  });
  test('a type by id: its index, without sorting', () => {
    assert.deepEqual(plan({ where: { type: 'rare' } }), ['INDEX by type (parent=? AND type=?)']);
  });
  test('a time range by id: walked to or gathered, in an index alone', () => {
    const steps = plan({ where: narrow, limit: 100 });
    assert.ok(steps.includes('COVERING INDEX by id (parent=?)'), steps.join('\n'));
    assert.ok(steps.includes('COVERING INDEX by time (parent=? AND timestamp>? AND timestamp<?)'), steps.join('\n'));
    assert.ok(!steps.some((step) => step.startsWith('INDEX')), steps.join('\n'));
  });
  test('a type in a time range by id: walked to in its index alone', () => {
    for (const order of ['id', 'id DESC']) {
      const steps = plan({ where: { type: 'common', ...late }, order, limit: 100 });
      // Once to count whether the value is rare. A sort covers only the range, if that way is chosen.
      assert.equal(steps.filter((step) => step === 'COVERING INDEX by type (parent=? AND type=?)').length, 2);
      assert.equal(steps.filter((step) => step === 'USE TEMP B-TREE FOR ORDER BY').length, 1, steps.join('\n'));
    }
  });
  test('a time range by id: as many rows are looked at as lie before it or in it, whichever are fewer', () => {
    const between = (from: number, to: number) => ({
      timestamp: { between: [start + from * 60_000, start + to * 60_000] },
    });
    const type = { type: 'common' };
    // Two rows in three belong to the parent.
    for (const [where, order, most] of [
      [between(6_000, 50_000), 'id', 4_000],
      [between(50_000, 53_000), 'id', 2_000],
      [between(6_000, 50_000), 'id DESC', 6_700],
      [between(6_000, 9_000), 'id DESC', 2_000],
      [{ ...between(9_000, 50_000), ...type }, 'id', 6_000],
      [{ ...between(50_000, 53_000), ...type }, 'id', 2_000],
    ] as const) {
      assert.ok(lookedAt({ where, order, limit: 10 }) < most + 1_100, JSON.stringify({ where, order }));
    }
  });
  test('a type by time: looked up in its index alone if it is rare, else walked to in the order of time', () => {
    const steps = plan({ where: { type: 'rare' }, order: 'timestamp DESC', limit: 100 });
    assert.ok(steps.includes('COVERING INDEX by type (parent=? AND type=?)'), steps.join('\n'));
    assert.ok(steps.includes('INDEX by time (parent=?)'), steps.join('\n'));
  });
  test('rows about another by id and by time: an index in that order', () => {
    assert.deepEqual(plan({ where: { about: 7 } }), ['INDEX about by id (about=?)']);
    assert.deepEqual(plan({ where: { about: 7 }, order: 'timestamp' }), ['INDEX about by time (about=?)']);
  });
  test('a far page: only its rows are read', () => {
    const steps = plan({ limit: 100, skip: 30_000 });
    assert.deepEqual(steps, ['INTEGER PRIMARY KEY (rowid=?)', 'COVERING INDEX by id (parent=?)']);
  });

  /** Returns roughly how many rows were read: one in 509 checks the deadline. */
  function lookedAt(filter: Asked): number {
    const { sql, cells } = compiled(filter);
    checks = 0;
    database.prepare(sql).all(...cells);
    return checks * 509;
  }
});

describe('whichever way is taken, the rows are the same', () => {
  for (const [name, pace] of Object.entries(paces)) {
    test(`times ${name}`, (t) => {
      const database = openReadings(pace);
      t.after(() => database.close());
      for (const range of [{}, narrow, early, late]) {
        for (const remaining of [
          {},
          { type: 'rare' },
          { type: 'common' },
          { type: 'none' },
          { about: 7, type: 'rare' },
        ]) {
          for (const order of orders) {
            for (const page of pages) {
              const where = { ...range, ...remaining };
              const { sql, cells } = compiled({ where, order, ...page });
              const found = database.prepare(sql).all(...cells);
              const expected = database.prepare(plainly({ where, order, ...page })).all();
              const ids = (rows: typeof found) => rows.map((row) => row.id);
              assert.deepEqual(ids(found), ids(expected), JSON.stringify({ where, order, page }));
            }
          }
        }
      }
    });
  }
});

/** The same list as plain SQL. The range that is cut here ends at the cut of 90 days or later. */
function plainly({ where = {}, order = 'id', limit = 10_000, skip = 0 }: Asked): string {
  const { timestamp, ...rest } = where as { timestamp?: Record<string, unknown>; type?: string; about?: number };
  const [from, to] = (timestamp?.between as number[] | undefined) ?? [];
  const terms = Object.entries(rest).map(
    ([name, value]) => `"${name}" = ${typeof value === 'string' ? `'${value}'` : value}`,
  );
  if (timestamp?.gt !== undefined) terms.push(`"timestamp" > ${timestamp.gt}`);
  if (timestamp?.lt !== undefined) terms.push(`"timestamp" < ${timestamp.lt}`);
  if (from !== undefined) terms.push(`"timestamp" BETWEEN ${from} AND ${to}`);
  const condition = ['"parent" = 1', ...terms].join(' AND ');
  return `SELECT "id" FROM readings WHERE ${condition} ORDER BY ${order}, "id" LIMIT ${limit} OFFSET ${skip}`;
}
