import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fields } from './testing/rows.ts';
import { readWhere } from './where.ts';

const where = (value: unknown, loose = false) => readWhere(value, fields, loose).term;
const refused = (value: unknown, message: string | RegExp, loose = false) =>
  assert.throws(
    () => where(value, loose),
    (error: { statusCode?: number; message: string }) => {
      assert.equal(error.statusCode, 400, String(error));
      if (typeof message === 'string') assert.equal(error.message, message);
      else assert.match(error.message, message);
      return true;
    },
  );
const nested = (depth: number): unknown => (depth === 0 ? { rank: 1 } : { and: [nested(depth - 1)] });

describe('a where that is refused says where', () => {
  const cases: [unknown, string | RegExp][] = [
    [[], 'where: must be an object'],
    ['x', 'where: must be an object'],
    [{ weight: 'abc' }, 'where.weight: must be a number'],
    [{ weight: Number.POSITIVE_INFINITY }, 'where.weight: must be a number'],
    [{ weight: { gt: 'abc' } }, 'where.weight.gt: must be a number'],
    [{ weight: { gt: null } }, 'where.weight.gt: null has no order: use eq or neq'],
    [{ weight: {} }, 'where.weight: an empty clause'],
    [{ weight: { foo: 1 } }, 'where.weight: unknown operator foo'],
    [{ weight: { gt: 1, foo: 1 } }, 'where.weight: unknown operator foo'],
    [{ weight: { constructor: 1 } }, 'where.weight: unknown operator constructor'],
    [{ weight: { toString: 1 } }, 'where.weight: unknown operator toString'],
    [{ weight: [1] }, 'where.weight: must be a number'],
    [{ open: 'yes' }, 'where.open: must be true or false'],
    [{ seen: 'yesterday' }, /must be a time/],
    [{ seen: '2024-02-30' }, /must be a time/],
    [{ name: { like: 5 } }, 'where.name.like: must be a string'],
    [{ rank: { like: 'a' } }, 'where.rank.like: needs a text field'],
    [{ seen: { regexp: 'a' } }, 'where.seen.regexp: needs a text field'],
    [{ name: { like: 'x'.repeat(1001) } }, 'where.name.like: a pattern may have at most 1000 characters'],
    [{ name: { regexp: 'x'.repeat(101) } }, 'where.name.regexp: may have at most 100 characters'],
    [{ name: { regexp: '(a)\\1' } }, 'where.name.regexp: back-references are not supported'],
    [{ name: { regexp: 'a(?=b)' } }, 'where.name.regexp: look-around is not supported'],
    [{ name: { regexp: '(?<!b)a' } }, 'where.name.regexp: look-around is not supported'],
    [{ rank: { inq: 5 } }, 'where.rank.inq: must be a list'],
    [{ rank: { inq: [1, 'x'] } }, 'where.rank.inq[1]: must be a number'],
    [{ rank: { inq: Array(1001).fill(1) } }, 'where.rank.inq: a list may have at most 1000 values'],
    [{ rank: { between: [1] } }, 'where.rank.between: must be a list of two values'],
    [{ rank: { exists: 'x' } }, 'where.rank.exists: must be true or false'],
    [{ and: { rank: 1 } }, 'where.and: must be a list'],
    [{ and: [5] }, 'where.and[0]: must be an object'],
    [{ and: [{ or: [{ rank: 'x' }] }] }, 'where.and[0].or[0].rank: must be a number'],
    [nested(9), /may be nested at most 8 deep$/],
    [{ or: Array(101).fill({ rank: 1 }) }, 'where: may have at most 100 terms'],
    [{ or: Array(101).fill({}) }, 'where: may have at most 100 terms'],
    [{ ['x'.repeat(201)]: 1 }, 'where: a name may have at most 200 characters'],
    [{ 'extra."a': 1 }, 'where.extra."a: a name must not contain " or \\'],
    [{ 'extra.a\\b': 1 }, 'where.extra.a\\b: a name must not contain " or \\'],
    [{ rank: { near: '1,2' } }, 'where.rank: near needs a location field'],
    [{ spot: { near: 'x' } }, 'where.spot.near: must be {lat, lng} or "lat,lng"'],
    [{ spot: { near: '91,0' } }, 'where.spot.near.lat: must be between -90 and 90'],
    [{ spot: { near: '1,2', unit: 'parsecs' } }, /^where.spot.unit: must be one of/],
    [{ spot: { near: '1,2', maxDistance: -1 } }, 'where.spot.maxDistance: must not be negative'],
    [{ or: [{ spot: { near: '1,2' } }] }, 'where.or[0].spot: near can only be used at the top level or inside and'],
    [{ and: [{ spot: { near: '1,2' } }, { spot: { near: '1,2' } }] }, 'where.and[1].spot: near can be used only once'],
    [{ spot: { gt: 5 } }, /^where.spot.gt: a location/],
    [{ extra: { eq: JSON.parse('['.repeat(9) + ']'.repeat(9)) } }, /nested at most 8 deep/],
  ];
  for (const [value, message] of cases) test(String(message).slice(0, 80), () => refused(value, message));
});

describe('what a where means', () => {
  test('several operators on one field all apply', () => {
    assert.deepEqual(where({ rank: { gt: 1, lt: 5 } }), where({ and: [{ rank: { gt: 1 } }, { rank: { lt: 5 } }] }));
  });
  test('values are read by the kind of their field', () => {
    assert.deepEqual(where({ rank: '5' }), where({ rank: 5 }));
    assert.deepEqual(where({ weight: '1e1' }), where({ weight: 10 }));
    assert.deepEqual(where({ name: 5 }), where({ name: '5' }));
    for (const yes of ['true', '1', 1]) assert.deepEqual(where({ open: yes }), where({ open: true }));
    const midnight = Date.UTC(2024, 0, 1);
    for (const time of [
      '2024-01-01',
      '2024-01-01T00:00:00Z',
      '2024-01-01T01:00:00.000+01:00',
      '2024-01-01T01:00:00 01:00',
      midnight,
      String(midnight),
    ]) {
      assert.deepEqual(where({ seen: time }), where({ seen: midnight }), String(time));
    }
  });
  test('whole numbers are compared with whole numbers', () => {
    assert.deepEqual(where({ rank: { gt: 5.5 } }), where({ rank: { gt: 5 } }));
    assert.deepEqual(where({ rank: { gte: 5.5 } }), where({ rank: { gte: 6 } }));
    assert.deepEqual(where({ rank: { lt: 5.5 } }), where({ rank: { lt: 6 } }));
    assert.deepEqual(where({ rank: { lte: 5.5 } }), where({ rank: { lte: 5 } }));
    assert.deepEqual(where({ rank: 5.5 }), { term: 'never' });
    assert.deepEqual(where({ rank: 1e300 }), { term: 'never' });
    assert.deepEqual(where({ rank: { neq: 5.5 } }), { term: 'always' });
    assert.deepEqual(where({ rank: { inq: [5.5, 5] } }), where({ rank: 5 }));
  });
  test('an unknown name matches nothing, whatever is asked of it', () => {
    for (const name of [
      'nope',
      '__proto__',
      'constructor',
      'toString',
      'name.first',
      'spot.alt',
      'extra.',
      'extra..a',
      '.',
      '',
      'extra.\ud800',
      'extra.\0',
    ]) {
      for (const value of [null, 1, { neq: 1 }, { exists: false }, { nope: 1 }]) {
        const asked = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
        assert.deepEqual(where(asked), { term: 'never' }, name);
      }
    }
    assert.deepEqual(where({ nor: [{ nope: 1 }] }), { term: 'always' });
  });
  test('a text that can not be stored matches nothing', () => {
    for (const text of ['a\0', '\ud800', 'x\udc00y']) {
      for (const operator of ['eq', 'gt', 'like', 'ilike', 'regexp'])
        assert.deepEqual(where({ name: { [operator]: text } }), { term: 'never' });
      for (const operator of ['neq', 'nlike', 'nilike'])
        assert.deepEqual(where({ name: { [operator]: text } }), { term: 'always' });
      assert.deepEqual(where({ extra: { eq: { a: text } } }), { term: 'never' });
      assert.deepEqual(where({ extra: { eq: { [text]: 1 } } }), { term: 'never' });
      assert.deepEqual(where({ tags: { inq: [text] } }), { term: 'never' });
    }
  });
  test('an object on a JSON field is a clause if it has an operator, else a value', () => {
    assert.equal(where({ extra: { a: 1 } }).term, 'equalJson');
    assert.equal(where({ extra: {} }).term, 'equalJson');
    assert.equal(where({ extra: [1] }).term, 'equalJson');
    assert.equal(where({ extra: { eq: { gt: 1 } } }).term, 'equalJson');
    assert.equal(where({ 'extra.a': { gt: 1 } }).term, 'test');
    refused({ extra: { gt: 1, a: 1 } }, 'where.extra: unknown operator a');
  });
  test('out of brackets a number may be a text, and true a flag', () => {
    const both = where({ 'extra.n': '5' }, true);
    assert.equal(both.term, 'any');
    assert.equal(where({ 'extra.n': 'true' }, true).term, 'any');
    assert.equal(where({ 'extra.n': 'x' }, true).term, 'test');
    assert.equal(where({ 'extra.n': '5' }).term, 'test');
  });
  test('100 terms, 8 levels and lists of 1 000 are taken', () => {
    assert.ok(where({ or: Array(100).fill({ rank: 1 }) }));
    assert.ok(where(nested(8)));
    assert.ok(where({ rank: { inq: Array(1000).fill(1) } }));
  });
});
