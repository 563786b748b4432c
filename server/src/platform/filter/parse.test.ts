import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseFilter, parseFilterObject, parseWhere, type Query } from './parse.ts';
import { fields } from './testing/rows.ts';

const parse = (query: string) =>
  parseFilter([...new URLSearchParams(query)], fields, { relations: ['config', 'points'] });
const json = (filter: unknown) =>
  parseFilter([['filter', JSON.stringify(filter)]], fields, { relations: ['config', 'points'] });
const refused = (work: () => unknown, message: string | RegExp) =>
  assert.throws(work, (error: { statusCode?: number; message: string }) => {
    assert.equal(error.statusCode, 400);
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    return true;
  });

describe('the forms of a filter', () => {
  test('brackets mean the same as JSON', () => {
    const bracketed = parse(
      'filter[where][name]=safe&filter[limit]=1&filter[skip]=2&filter[order]=rank%20DESC&filter[fields][0]=id',
    );
    assert.deepEqual(
      bracketed,
      json({ where: { name: 'safe' }, limit: 1, skip: 2, order: 'rank DESC', fields: ['id'] }),
    );
  });
  test('groups and lists in brackets', () => {
    const wanted = json({ where: { or: [{ name: 'a' }, { rank: { inq: [1, 2] } }] } });
    const groups = 'filter[where][or][0][name]=a&filter[where][or][1][rank]';
    assert.deepEqual(parse(`${groups}[inq][0]=1&filter[where][or][1][rank][inq][1]=2`), wanted);
    assert.deepEqual(parse(`${groups}[inq][]=1&filter[where][or][1][rank][inq][]=2`), wanted);
    assert.deepEqual(parse(`${groups}[inq]=1&filter[where][or][1][rank][inq]=2`), wanted);
    assert.deepEqual(parse('filter[where][rank][inq]=1'), json({ where: { rank: { inq: [1] } } }));
  });
  test('an absent, an empty and a null filter ask for everything', () => {
    for (const query of ['', 'filter=', 'filter=null', 'filter={}', 'other=1'])
      assert.equal(parse(query).where.term.term, 'always');
  });
  test('what is no filter is refused', () => {
    refused(() => parse('filter={}&filter={}'), 'filter: is given more than once');
    refused(() => parse('filter={}&filter[limit]=1'), 'filter: is given both as JSON and in brackets');
    refused(() => parse('filter=[]'), 'filter: must be an object');
    refused(() => parse('filter=5'), 'filter: must be an object');
    refused(() => parse('filter={"where"'), 'filter: is not JSON');
    refused(() => parse('filter[where=1'), 'filter: its brackets are not balanced');
    refused(() => parse('filter[where][name]=a&filter[where][name][neq]=b'), /has a value and brackets/);
    refused(() => parse('filter[]=1'), 'filter: its first brackets are empty');
  });
  test('a text nested a thousand deep is refused without walking it', () => {
    refused(() => parse(`filter=${'['.repeat(1000)}`), 'filter: may be nested at most 8 deep');
    refused(() => parse(`filter=${'{"where":'.repeat(100_000)}`), 'filter: may be nested at most 8 deep');
    refused(() => parse(`filter${'[and]'.repeat(1000)}=1`), 'filter: may be nested at most 8 deep');
    assert.ok(json({ where: { name: '['.repeat(500) } }));
  });
  test('a scope is a filter that is an object already', () => {
    assert.deepEqual(parseFilterObject({ limit: 5 }, fields), json({ limit: 5 }));
    assert.deepEqual(
      parseFilterObject({ limit: '5', where: { rank: { inq: '1' } } }, fields, { loose: true }),
      json({ limit: 5, where: { rank: { inq: [1] } } }),
    );
  });
});

describe('what to count', () => {
  const count = (query: string) => parseWhere([...new URLSearchParams(query)] as Query, fields);
  test('where as JSON, in brackets, or inside a filter', () => {
    const wanted = json({ where: { name: 'a' } }).where;
    for (const query of [
      'where={"name":"a"}',
      'where[name]=a',
      'filter[where][name]=a',
      'filter={"where":{"name":"a"}}',
    ]) {
      assert.deepEqual(count(query), wanted, query);
    }
    assert.equal(count('').term.term, 'always');
    assert.equal(count('where=').term.term, 'always');
  });
  test('not both', () => {
    refused(() => count('where[name]=a&filter[where][name]=a'), 'where: send either where or filter, not both');
    refused(() => count('where=[]'), 'where: must be an object');
  });
});

describe('pages', () => {
  test('10 000 rows at most', () => {
    for (const limit of [undefined, null, 0, 10_000, 10_001, 1e300, '0', ''])
      assert.equal(json({ limit }).limit, 10_000);
    assert.equal(json({ limit: '7' }).limit, 7);
  });
  test('limits that mean nothing are refused', () => {
    for (const limit of [-1, 1.5, 'x', true, [], {}, '1x'])
      refused(() => json({ limit }), /^limit: must be a whole number, 0 or more$/);
  });
  test('skip, or offset', () => {
    assert.equal(json({ skip: 3, offset: 4 }).skip, 3);
    assert.equal(json({ offset: '4' }).skip, 4);
    refused(() => json({ skip: -1 }), /^skip: /);
    refused(() => json({ offset: 0.5 }), /^offset: /);
    refused(() => json({ skip: 2 ** 53 }), 'skip: must be at most 9007199254740991');
  });
});

describe('order', () => {
  const order = (value: unknown) =>
    json({ order: value }).order.map(({ target, descending }) => `${target.column}${descending ? ' DESC' : ''}`);
  test('a text, a list of fields in a text, a list', () => {
    assert.deepEqual(order('rank'), ['rank']);
    assert.deepEqual(order('rank desc'), ['rank DESC']);
    assert.deepEqual(order('rank ASC, name DESC'), ['rank', 'name DESC']);
    assert.deepEqual(order(['rank DESC', 'name', 'rank ASC']), ['rank DESC', 'name']);
    assert.deepEqual(order(''), []);
    assert.deepEqual(order([]), []);
    assert.deepEqual(order('spot.lat DESC'), ['spotLat DESC']);
    assert.deepEqual(parse('filter[order][0]=rank&filter[order][1]=name%20DESC').order.length, 2);
  });
  test('what has no order is refused', () => {
    refused(() => order('nope'), 'order: unknown field nope');
    refused(() => order('constructor'), 'order: unknown field constructor');
    refused(() => order('__proto__ DESC'), 'order: unknown field __proto__');
    refused(() => order('rank sideways'), 'order: the direction of rank must be ASC or DESC');
    refused(() => order('rank ASC DESC'), 'order: the direction of rank must be ASC or DESC');
    refused(() => order('tags'), 'order: tags has no order');
    refused(() => order('spot'), 'order: spot has no order');
    refused(() => order(5), 'order: must be a string or a list of strings');
    refused(() => order([5]), 'order: must be a string or a list of strings');
    refused(() => order('extra."; DROP TABLE things'), /^order: /);
    refused(() => order('x'.repeat(201)), 'order: a name may have at most 200 characters');
    refused(() => order(Array.from({ length: 11 }, (_, i) => `extra.k${i}`)), 'order: may have at most 10 fields');
  });
});

describe('fields', () => {
  const shown = (value: unknown) => json({ fields: value }).shape.map(({ name }) => name);
  test('a list, an object of what to show, an object of what to hide', () => {
    assert.deepEqual(shown(['name', 'id', 'nope']), ['id', 'name']);
    assert.deepEqual(shown('name'), ['name']);
    assert.deepEqual(shown({ id: true, name: true, rank: false }), ['id', 'name']);
    assert.equal(shown({ extra: false }).includes('extra'), false);
    assert.equal(shown({ extra: false }).length, fields.shape.length - 1);
    assert.equal(shown([]).length, fields.shape.length);
    assert.deepEqual(shown(['nope']), []);
    assert.deepEqual(
      parse('filter[fields][name]=true').shape.map(({ name }) => name),
      ['name'],
    );
  });
  test('anything else is refused', () => {
    refused(() => shown(5), /^fields: /);
    refused(() => shown([5]), 'fields: must be a list of names');
    refused(() => shown({ id: 'perhaps' }), 'fields.id: must be true or false');
  });
});

describe('include', () => {
  const included = (value: unknown) => json({ include: value }).include;
  test('its forms', () => {
    const config = [{ relation: 'config', scope: undefined, loose: false }];
    for (const value of ['config', ['config'], { relation: 'config' }, [{ relation: 'config' }], { config: true }]) {
      assert.deepEqual(included(value), config);
    }
    assert.deepEqual(included({ relation: 'points', scope: { limit: 1 } }), [
      { relation: 'points', scope: { limit: 1 }, loose: false },
    ]);
    assert.deepEqual(included(['config', { relation: 'points', scope: { limit: 1 } }]).length, 2);
    assert.deepEqual(included({ config: false }), []);
    assert.deepEqual(parse('filter[include]=config').include, [{ ...config[0], loose: true }]);
    assert.deepEqual(parse('filter[include][0]=config').include, [{ ...config[0], loose: true }]);
  });
  test('unknown relations are refused', () => {
    refused(() => included('nope'), 'include: unknown relation nope');
    refused(() => included('constructor'), 'include: unknown relation constructor');
    refused(() => included(5), /^include: /);
    refused(() => included({ relation: 'points', scope: 5 }), 'include: the scope of points must be an object');
    refused(() => parseFilter([['filter', '{"include":"config"}']], fields), 'include: unknown relation config');
  });
});
