import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { accept } from './accept.ts';
import { operation, page } from './operation.ts';
import { otherNames } from './other-names.ts';
import { acceptQuery, GivenTwice } from './query-values.ts';
import {
  anything,
  dateRange,
  type Fields,
  flag,
  id,
  integer,
  key,
  list,
  noun,
  number,
  required,
  text,
} from './schema.ts';

/** The first value of a query string, or what is wrong with it. */
function taken(schema: Fields[string], query: string): unknown {
  const { values, violations } = acceptQuery({ a: schema }, [...new URLSearchParams(query)]);
  return violations[0] === undefined ? values.a : `${violations[0].field} ${violations[0].code}`;
}

test('a value may be JSON, plain text, or a number with .0', () => {
  for (const spelled of ['5', '"5"', '5.0', '"5.0"']) {
    assert.equal(taken(integer(''), `a=${spelled}`), 5, spelled);
    assert.equal(taken(number(''), `a=${spelled}`), 5, spelled);
  }
  for (const spelled of ['true', '"true"', '1', 'True', 'TRUE', '"TRUE"'])
    assert.equal(taken(flag(''), `a=${spelled}`), true, spelled);
  for (const spelled of ['false', '0', 'False']) assert.equal(taken(flag(''), `a=${spelled}`), false, spelled);
  for (const spelled of ['abc', '"abc"']) assert.equal(taken(text(''), `a=${spelled}`), 'abc', spelled);
  assert.equal(taken(integer(''), 'a=5.5'), 'a integer');
  assert.equal(taken(flag(''), 'a=yes'), 'a type');
});

test('a parameter of any value takes JSON, and what is none as a text', () => {
  const any = anything('');
  assert.deepEqual(taken(any, 'a={"b":[1]}'), { b: [1] });
  assert.equal(taken(any, 'a=null'), null);
  assert.equal(taken(any, 'a=Main Street 1'), 'Main Street 1');
});

test('an empty value is absent, unless it means something', () => {
  for (const schema of [integer(''), flag(''), text(''), dateRange(), list(Type.String(), '')])
    assert.equal(taken(schema, 'a='), undefined);
  assert.equal(taken(text('', { 'x-empty': true }), 'a='), '');
  assert.equal(taken(Type.Enum(['b']), 'a='), 'a inclusion');
});

test('a required parameter that is absent or empty is named', () => {
  for (const query of ['', 'a=', 'b=1']) assert.equal(taken(required(integer('')), query), 'a presence', query);
  assert.equal(taken(required(list(Type.String(), '')), ''), 'a presence');
  assert.equal(taken(required(integer('')), 'a=3'), 3);
});

test('lists are taken in every spelling, and the spellings join', () => {
  const texts = list(Type.String(), '', { maxItems: 4 });
  for (const query of ['a=b&a=c', 'a[]=b&a[]=c', 'a[0]=b&a[1]=c', 'a=b,c', 'a=["b","c"]', 'a=b&a[]=c', 'a="b,c"'])
    assert.deepEqual(taken(texts, query), ['b', 'c'], query);
  assert.deepEqual(taken(texts, 'a=b,c&a[]=d&a=["e"]'), ['b', 'c', 'd', 'e']);
  assert.deepEqual(taken(texts, 'a= b , ,c'), ['b', 'c']);
  assert.deepEqual(taken(texts, 'a=["b,c"]'), ['b,c']);
  assert.equal(taken(texts, 'a=1,2,3,4,5'), 'a length');
  assert.deepEqual(taken(list(Type.Integer(), ''), 'a=1,2.0'), [1, 2]);
  assert.equal(taken(texts, 'ab=1&a[x]=1'), undefined);
});

test('a scalar that is given twice is refused', () => {
  assert.throws(() => taken(integer(''), 'a=1&a=1'), GivenTwice);
});

test('a range of time has two ends, and each may be open', () => {
  const [from, to] = [Date.parse('2026-01-01'), Date.parse('2026-01-02T10:00:00Z')];
  for (const spelled of [
    `[${from},${to}]`,
    `["${from}","${to}"]`,
    '["2026-01-01","2026-01-02T10:00:00Z"]',
    `${from},${to}`,
    '2026-01-01, 2026-01-02T10:00:00Z',
  ])
    assert.deepEqual(taken(dateRange(), `a=${encodeURIComponent(spelled)}`), [from, to], spelled);
  assert.deepEqual(taken(dateRange(), `a=[null,${to}]`), [null, to]);
  assert.deepEqual(taken(dateRange(), 'a=2026-01-01,'), [from, null]);
  for (const spelled of [`a=${from}&a=${to}`, `a[]=${from}&a[]="${to}"`, `a[0]=2026-01-01&a[1]=${to}`])
    assert.deepEqual(taken(dateRange(), spelled), [from, to], spelled);
  for (const open of ['', 'null']) assert.deepEqual(taken(dateRange(), `a=${open}&a=${to}`), [null, to]);
  assert.equal(taken(dateRange(), `a=${from}&a=${to}&a=${to}`), 'a type');
  assert.equal(taken(dateRange(), `a[]=${from}`), 'a type');
  assert.equal(taken(dateRange(), 'a=[1,2,3]'), 'a type');
  assert.equal(taken(dateRange(), 'a=2026-01-01'), 'a type');
  assert.equal(taken(dateRange(), 'a=["soon",null]'), 'a date');
  assert.equal(taken(dateRange(), `a=[${to},${from}]`), 'a range');
  const report = noun('report', { dateRange: dateRange() }, { required: ['dateRange'] });
  assert.deepEqual(accept(report, 'create', { dateRange: `[${from},${to}]` }).values, { dateRange: [from, to] });
  assert.deepEqual(accept(report, 'create', { dateRange: [from, null] }).values, { dateRange: [from, null] });
});

const fence = noun('fence', { id: id(), ownerId: key('Owner.'), name: text('Name.') }, { always: ['ownerId'] });

test('a list of version 2 comes in pages', () => {
  const { query, paging, versions, answer } = page(fence, '/users/{userid}/fences', 'self', {
    paging: { sortable: ['id', 'name'], includes: ['list'] },
    query: { type: text('Type.') },
  });
  assert.deepEqual(versions, ['v2']);
  assert.deepEqual(paging?.sortable, ['id', 'name']);
  assert.deepEqual(Object.keys((answer as unknown as { properties: object }).properties), [
    'data',
    'limit',
    'page',
    'totalElements',
    'totalPages',
  ]);
  const read = (text: string) => {
    const { values, violations } = acceptQuery(query!, [...new URLSearchParams(text)]);
    return violations.length > 0 ? violations.map(({ field }) => field) : values;
  };
  assert.deepEqual(read('_limit=20000&_page=0&_sort=name&_direction=desc&_include=list&type=safe'), {
    _limit: 10_000,
    _page: 0,
    _sort: 'name',
    _direction: 'desc',
    _include: ['list'],
    type: 'safe',
  });
  assert.deepEqual(read('_limit=0&_page=-1&_sort=type&_direction=up&_include=owner'), [
    '_limit',
    '_page',
    '_sort',
    '_direction',
    '_include',
  ]);
});

test('a noun may have other names than what it shows', () => {
  const { show, take } = otherNames(fence, { ownerId: 'userId' });
  assert.deepEqual(show({ id: 1, userId: 2, name: 'Yard', wasInside: true }), { id: 1, ownerId: 2, name: 'Yard' });
  assert.deepEqual(take({ ownerId: 2, name: null }), { userId: 2, name: null });
});

test('an operation says its status, its texts and what a bare array means', () => {
  const made = operation('PUT', '/devices/{id}/tags/{name}', 'manage', {
    summary: 'Set a tag',
    status: [200, 201],
    texts: ['name'],
    query: { value: required(text('Value.')) },
    body: { noun: fence, mode: 'create', list: 'name' },
    answer: Type.String(),
  });
  made.queryType satisfies { value: string } | undefined;
  assert.deepEqual([made.status, made.texts, made.body?.list], [[200, 201], ['name'], 'name']);
});
