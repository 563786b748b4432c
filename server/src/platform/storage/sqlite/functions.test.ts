import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import test, { describe } from 'node:test';
import { registerFunctions } from './connection.ts';

const connection = new DatabaseSync(':memory:');
registerFunctions(connection);
const call = (sql: string, ...cells: (string | number | null)[]) =>
  connection.prepare(`SELECT ${sql} AS x`).get(...cells)!.x;

test('text_lower folds case as JavaScript does', () => {
  assert.equal(call('text_lower(?)', 'ÄÖ ÉΣ'), 'äö éς');
  assert.equal(call('text_lower(?)', null), null);
});

describe('json_equal', () => {
  const equal = (a: string | null, b: string | null) => call('json_equal(?, ?)', a, b);

  test('compares values, not spelling', () => {
    assert.equal(equal('{"a":1,"b":[1,{"c":null}]}', '{ "b": [1.0, {"c": null}], "a": 1e0 }'), 1);
    assert.equal(equal('0', '-0'), 1);
    assert.equal(equal('"a"', '"\\u0061"'), 1);
  });

  test('distinguishes what differs', () => {
    const different: [string, string][] = [
      ['1', '"1"'],
      ['1', 'true'],
      ['null', '0'],
      ['[]', '{}'],
      ['[1,2]', '[2,1]'],
      ['[1]', '[1,2]'],
      ['{"a":1}', '{"b":1}'],
      ['{"a":1}', '{"a":1,"b":2}'],
      ['{"a":null}', '{}'],
      ['{"toString":null}', '{"a":null}'],
    ];
    for (const [a, b] of different) {
      assert.equal(equal(a, b), 0, `${a} and ${b}`);
      assert.equal(equal(b, a), 0, `${b} and ${a}`);
    }
  });

  test('of an absent value is unknown', () => {
    assert.equal(equal(null, 'null'), null);
    assert.equal(equal('null', null), null);
  });
});

describe('re2_match', () => {
  const match = (pattern: string, flags: string, text: string | null) =>
    call('re2_match(?, ?, ?)', pattern, flags, text);

  test('finds the pattern anywhere', () => {
    assert.equal(match('b.d', '', 'abcde'), 1);
    assert.equal(match('^b', '', 'abcde'), 0);
    assert.equal(match('a/b', '', 'xa/b'), 1);
  });

  test('compares case unless a flag says otherwise', () => {
    assert.equal(match('BCD', '', 'abcde'), 0);
    assert.equal(match('BCD', 'i', 'abcde'), 1);
  });

  test('never matches an absent value, and refuses a pattern it can’t read', () => {
    assert.equal(match('.*', '', null), 0);
    assert.throws(() => match('(', '', 'x'));
    assert.throws(() => match('(a)\\1', '', 'aa'));
  });
});

test('within_deadline agrees where there is no deadline', () => {
  assert.equal(call('within_deadline()'), 1);
});

describe('within_deadline', () => {
  const scanned = new DatabaseSync(':memory:');
  let calls = 0;
  registerFunctions(scanned, () => {
    calls += 1;
  });
  scanned.exec(`
    CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER);
    CREATE INDEX ta ON t (a);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6400)
    INSERT INTO t SELECT i, i % 10 FROM n;
  `);
  const callsOf = (sql: string) => {
    calls = 0;
    scanned.prepare(sql).all();
    return calls;
  };
  const guard = '(("id" & 63) <> 0 OR within_deadline())';

  test('is asked for every row', () => {
    assert.equal(callsOf('SELECT * FROM t WHERE within_deadline() AND a + 0 = 99'), 6400);
  });

  test('is asked for one row in 64 behind the guard, whatever way the rows are found', () => {
    assert.equal(callsOf(`SELECT * FROM t WHERE ${guard} AND a + 0 = 99`), 100);
    assert.equal(callsOf(`SELECT count(*) FROM t WHERE ${guard} AND a + 0 = 99`), 100);
    assert.equal(callsOf(`SELECT * FROM t WHERE ${guard} AND abs(a) = 99 ORDER BY a`), 100);
    assert.equal(callsOf(`SELECT a FROM t WHERE ${guard} AND a >= 0 AND a + 0 = 99`), 100);
  });

  test('is not asked when another term stands before it and fails', () => {
    assert.equal(callsOf(`SELECT * FROM t WHERE a + 0 = 99 AND ${guard}`), 0);
  });
});
