import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { onBothEngines } from '../../testing/databases.ts';
import type { Database } from '../storage/database.ts';
import { POSTGRES, SQLITE } from '../storage/dialect.ts';
import { compileCount, compileList } from './compile.ts';
import { parseFilter, parseWhere } from './parse.ts';
import { base, fields, migrations, now, rowOf, type Thing } from './testing/rows.ts';

interface Tables {
  things: Record<string, string | number | null>;
}

const day = 24 * 3600 * 1000;
const ago = (days: number) => new Date(now - days * day).toISOString();

const things: Thing[] = [
  {
    id: 1,
    rank: 1,
    weight: 1.5,
    name: 'Home',
    open: true,
    seen: ago(1),
    extra: { colour: 'red', n: 5 },
    tags: ['a', 'b'],
    spot: { lat: 52, lng: 4 },
  },
  {
    id: 2,
    rank: 2,
    weight: 2.5,
    name: 'home*[1]?',
    open: false,
    seen: ago(89),
    extra: { colour: 'blue', n: '5' },
    tags: [],
    spot: { lat: 52, lng: 4.001 },
  },
  {
    id: 3,
    name: 'É%_\\',
    seen: ago(91),
    extra: { colour: 7, n: true, deep: { a: [1, { b: 2 }] } },
    tags: ['B', '5'],
    spot: { lat: -52, lng: -176 },
  },
  { id: 4, seen: ago(200) },
  { id: 5, rank: 2, name: 'a\nb😀', seen: ago(-1), extra: 21.5 },
];

onBothEngines<Tables>('filters', { migrations }, (open) => {
  let db: Database<Tables>;
  before(async () => {
    // What is found counts here, not how soon: a busy machine takes longer than a user would wait.
    db = await open({ searchDeadlineMs: 60_000 });
    await db.query.insertInto('things').values(things.map(rowOf)).execute();
    await db.query
      .insertInto('things')
      .values({ ...rowOf(things[0]!), id: 99, parent: 2 })
      .execute();
  });

  async function rows(query: string, timeRange?: string): Promise<Record<string, unknown>[]> {
    const pairs = [...new URLSearchParams(query)];
    const options = { now };
    const list = compileList(db, 'things', { ...fields, timeRange }, base, parseFilter(pairs, fields), options);
    return JSON.parse(await db.search({ ...list, owner: 'test' }));
  }
  const idsOf = async (query: string, timeRange?: string) => (await rows(query, timeRange)).map((row) => row.id);
  const json = (filter: unknown) => `filter=${encodeURIComponent(JSON.stringify(filter))}`;
  const where = (value: unknown, timeRange?: string) => idsOf(json({ where: value }), timeRange);

  const found: [string, unknown, number[]][] = [
    ['nothing asked: all of the parent, by id', {}, [1, 2, 3, 4, 5]],
    ['null is absent', { rank: null }, [3, 4]],
    ['neq null is present', { rank: { neq: null } }, [1, 2, 5]],
    ['exists', { rank: { exists: false } }, [3, 4]],
    ['neq finds rows without a value', { rank: { neq: 2 } }, [1, 3, 4]],
    ['nin finds rows without a value', { rank: { nin: [2] } }, [1, 3, 4]],
    ['nin with null does not', { rank: { nin: [2, null] } }, [1]],
    ['inq with null does', { rank: { inq: [1, null] } }, [1, 3, 4]],
    ['an empty inq finds nothing', { rank: { inq: [] } }, []],
    ['an empty nin finds all', { rank: { nin: [] } }, [1, 2, 3, 4, 5]],
    ['gt excludes the value itself', { rank: { gt: 1 } }, [2, 5]],
    ['gte includes it', { rank: { gte: 2 } }, [2, 5]],
    ['lt excludes it', { rank: { lt: 2 } }, [1]],
    ['lte includes it', { rank: { lte: 1 } }, [1]],
    ['between includes both ends', { weight: { between: [1.5, 2.5] } }, [1, 2]],
    ['several operators', { rank: { gt: 1, lt: 3 } }, [2, 5]],
    ['between, both ends in it', { weight: { between: [1.5, 2.5] } }, [1, 2]],
    ['an empty and', { and: [] }, [1, 2, 3, 4, 5]],
    ['an empty or', { or: [] }, []],
    ['nor', { nor: [{ rank: 1 }, { name: { like: 'home%' } }] }, [3, 4, 5]],
    ['flags', { open: false }, [2]],
    ['a fraction against whole numbers', { rank: { gte: 1.5 } }, [2, 5]],
    ['a number beyond every whole number', { rank: { lt: 1e300 } }, [1, 2, 5]],
    ['text by code point', { name: { gt: 'Z' } }, [2, 3, 5]],
    ['like minds case', { name: { like: 'h%' } }, [2]],
    ['like is anchored', { name: { like: 'om' } }, []],
    ['like with one character', { name: { like: '_ome' } }, [1]],
    ['like takes * [ ? for what they are', { name: { like: '%*[1]?' } }, [2]],
    ['like with escapes', { name: { like: '_\\%\\_\\\\' } }, [3]],
    ['like with a backslash at its end', { name: { like: '%\\' } }, [3]],
    ['like over a new line', { name: { like: 'a%😀' } }, [5]],
    ['like counts an emoji as one', { name: { like: 'a_b_' } }, [5]],
    ['nlike finds rows without a value', { name: { nlike: 'H%' } }, [2, 3, 4, 5]],
    ['ilike folds beyond ASCII', { name: { ilike: 'é%' } }, [3]],
    ['nilike', { name: { nilike: 'HOME%' } }, [3, 4, 5]],
    ['regexp', { name: { regexp: '^[Hh]ome' } }, [1, 2]],
    ['regexp ignoring case', { name: { regexp: '/^É|HOME$/i' } }, [1, 3]],
    ['regexp: a dot is no new line', { name: { regexp: 'a.b' } }, []],
    ['a list of strings has it', { tags: 'a' }, [1]],
    ['a list of strings has none of it', { tags: { neq: 'a' } }, [2, 3, 4, 5]],
    ['a list of strings is absent', { tags: null }, [4, 5]],
    ['a list of strings has one like it', { tags: { ilike: 'B' } }, [1, 3]],
    ['a list of strings has one of these', { tags: { inq: ['5', 'a'] } }, [1, 3]],
    ['a number against a list of strings', { tags: 5 }, [3]],
    ['inside JSON: a number', { 'extra.n': 5 }, [1]],
    ['inside JSON: a text', { 'extra.n': '5' }, [2]],
    ['inside JSON: a flag', { 'extra.n': true }, [3]],
    ['inside JSON: neq', { 'extra.n': { neq: 5 } }, [2, 3, 4, 5]],
    ['inside JSON: types do not mix', { 'extra.n': { gt: 4 } }, [1]],
    ['inside JSON: absent', { 'extra.colour': null }, [4, 5]],
    ['inside JSON: like sees texts only', { 'extra.colour': { nlike: '%e%' } }, [3, 4, 5]],
    ['inside JSON: one of', { 'extra.colour': { inq: ['red', 7, null] } }, [1, 3, 4, 5]],
    ['JSON: an object', { 'extra.deep': { a: [1, { b: 2 }] } }, [3]],
    ['JSON: not that object', { 'extra.deep': { neq: { a: [1, { b: 2 }] } } }, [1, 2, 4, 5]],
    ['JSON: the order of keys does not matter', { extra: { n: 5, colour: 'red' } }, [1]],
    ['JSON: a value that is a number', { extra: { gt: 21 } }, [5]],
    ['JSON: a path that is no object', { 'extra.n.x': null }, [1, 2, 3, 4, 5]],
    ['part of a place', { 'spot.lat': { lt: 0 } }, [3]],
    ['a place', { spot: { lat: 52, lng: 4 } }, [1]],
    ['no place', { spot: null }, [4, 5]],
    ['near, the nearest first', { spot: { near: { lat: 52, lng: 4.0009 } } }, [2, 1, 3]],
    ['near, at most so many metres', { spot: { near: '52,4', maxDistance: 100 } }, [1, 2]],
    ['near, kilometres', { and: [{ spot: { near: '52,4', maxDistance: 0.05, unit: 'kilometers' } }] }, [1]],
    ['near, feet', { spot: { near: '52,4', minDistance: 220, maxDistance: 230, unit: 'feet' } }, [2]],
    ['near, miles', { spot: { near: '52,4', minDistance: 0.042, maxDistance: 0.043, unit: 'miles' } }, [2]],
    ['near, at least', { spot: { near: '52,4', minDistance: 1, maxDistance: 1, unit: 'miles' } }, []],
    ['near the antipode', { spot: { near: { lat: 52, lng: 4 }, minDistance: 20_015, unit: 'kilometers' } }, [3]],
    ['times', { seen: { gt: ago(2) } }, [1, 5]],
    ['names that are not fields', { constructor: 1 }, []],
    ['a text with NUL', { name: { neq: 'a\0' } }, [1, 2, 3, 4, 5]],
    ['quotes in a value', { name: "'; DROP TABLE things; --" }, []],
    ['a question mark in a value', { name: '?' }, []],
  ];
  describe('where', () => {
    for (const [name, value, ids] of found) test(name, async () => assert.deepEqual(await where(value), ids));
  });

  test('out of brackets a number matches a number and a text', async () => {
    assert.deepEqual(await idsOf('filter[where][extra.n]=5'), [1, 2]);
    assert.deepEqual(await idsOf('filter[where][extra.n][neq]=5'), [3, 4, 5]);
    assert.deepEqual(await idsOf('filter[where][extra.n]=true'), [3]);
    assert.deepEqual(await idsOf('filter[where][extra.n][inq]=5&filter[where][extra.n][inq]=true'), [1, 2, 3]);
  });

  test('nulls come first ascending and last descending, ties by id', async () => {
    assert.deepEqual(await idsOf(json({ order: 'rank' })), [3, 4, 1, 2, 5]);
    assert.deepEqual(await idsOf(json({ order: 'rank DESC' })), [2, 5, 1, 3, 4]);
    assert.deepEqual(await idsOf(json({ order: ['rank DESC', 'id DESC'] })), [5, 2, 1, 4, 3]);
    assert.deepEqual(await idsOf(json({ order: 'name' })), [4, 1, 5, 2, 3]);
    assert.deepEqual(await idsOf(json({ order: 'extra.n' })), [4, 5, 3, 1, 2]);
    assert.deepEqual(await idsOf(json({ order: 'extra.colour DESC' })), [1, 2, 3, 4, 5]);
    assert.deepEqual(await idsOf(json({ order: 'spot.lng' })), [4, 5, 3, 1, 2]);
  });

  test('pages', async () => {
    assert.deepEqual(await idsOf(json({ limit: 2, skip: 1 })), [2, 3]);
    assert.deepEqual(await idsOf(json({ limit: 2, skip: 1, order: 'rank DESC' })), [5, 1]);
    assert.deepEqual(await idsOf(json({ skip: 2 ** 53 - 1 })), []);
  });

  test('fields', async () => {
    assert.deepEqual(await rows(json({ fields: ['name', 'spot'], limit: 1 })), [
      { name: 'Home', spot: { lat: 52, lng: 4 } },
    ]);
    assert.deepEqual(await rows(json({ fields: ['nope'], limit: 1 })), [{}]);
  });

  test('a range of the time field is cut to its latest 90 days', async () => {
    assert.deepEqual(await idsOf(json({}), 'seen'), [1, 2, 3, 4, 5]);
    assert.deepEqual(await where({ seen: { gt: ago(1000) } }, 'seen'), [1, 2, 5]);
    assert.deepEqual(await where({ seen: { lt: ago(90) } }, 'seen'), [3]);
    assert.deepEqual(await where({ and: [{ seen: { between: [ago(1000), ago(120)] } }] }, 'seen'), [4]);
    assert.deepEqual(await where({ seen: { gte: ago(91), lte: ago(89) } }, 'seen'), [2, 3]);
    assert.deepEqual(await where({ or: [{ seen: { gt: ago(1000) } }] }, 'seen'), [1, 2, 5]);
    assert.deepEqual(await where({ or: [{ seen: { gt: ago(1000) } }, { rank: 1 }] }, 'seen'), [1, 2, 3, 4, 5]);
    assert.deepEqual(await where({ seen: ago(200) }, 'seen'), [4]);
    assert.deepEqual(await idsOf(json({ where: { seen: { gt: ago(1000) } }, order: 'seen DESC' }), 'seen'), [5, 1, 2]);
    assert.deepEqual(
      await idsOf(json({ where: { seen: { gt: ago(1000) } }, order: 'id DESC', limit: 1, skip: 1 }), 'seen'),
      [2],
    );
  });

  test('a count is not cut', async () => {
    const asked = parseWhere([['where', JSON.stringify({ seen: { gt: ago(1000) } })]], fields);
    const { sql, cells } = compileCount(db, 'things', base, asked);
    assert.equal(
      await db.search({ sql, cells, shape: [{ name: 'count', kind: 'integer' }], owner: 'test' }),
      '[{"count":5}]',
    );
  });
});

test('whether a search is plain', () => {
  const cost = (filter: unknown) =>
    compileList(
      { dialect: SQLITE },
      'things',
      fields,
      base,
      parseFilter([['filter', JSON.stringify(filter)]], fields),
      { now },
    ).cost;
  for (const filter of [
    {},
    { where: { rank: { inq: [1, 2] }, or: [{ name: null }, { seen: { gt: 5 } }] }, order: 'name' },
  ]) {
    assert.equal(cost(filter), 'plain');
  }
  for (const where of [
    { name: { like: 'a' } },
    { name: { nilike: 'a' } },
    { name: { regexp: 'a' } },
    { tags: 'a' },
    { 'extra.a': 1 },
    { extra: {} },
    { spot: { near: '1,2' } },
  ]) {
    assert.equal(cost({ where }), 'search');
  }
  assert.equal(cost({ order: 'extra.a' }), 'search');
});

test('values reach SQL as parameters only', () => {
  for (const dialect of [SQLITE, POSTGRES]) {
    const filter = {
      where: { name: "O'Hara?", 'extra.k?y': { inq: ['a?', 1] }, tags: { like: '?%' } },
      order: 'extra.k?y',
      limit: 7,
    };
    const { sql, cells } = compileList(
      { dialect },
      'things',
      fields,
      base,
      parseFilter([['filter', JSON.stringify(filter)]], fields),
      { now },
    );
    assert.equal(sql.match(/\?/g)?.length, cells.length);
    assert.doesNotMatch(sql, /Hara|k\?y|a\?|\b7\b/);
  }
});
