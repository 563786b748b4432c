import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isStorable, parseId, parseTime } from './values.ts';

const at = (text: string) => Date.parse(text);

test('a time is parsed in every form of the contract', () => {
  const noon = at('2026-03-01T12:00:00.000Z');
  assert.equal(parseTime('2026-03-01T12:00:00.000Z'), noon);
  assert.equal(parseTime('2026-03-01T12:00:00Z'), noon);
  assert.equal(parseTime('2026-03-01T14:00+02:00'), noon);
  assert.equal(parseTime('2026-03-01T14:00:00+0200'), noon);
  assert.equal(parseTime('2026-03-01 12:00:00'), noon, 'without an offset it is UTC');
  assert.equal(parseTime('2026-03-01T12:00:00.123456'), noon + 123);
  assert.equal(parseTime('2026-03-01'), at('2026-03-01T00:00:00.000Z'));
  assert.equal(parseTime(noon), noon);
  assert.equal(parseTime(String(noon)), noon);
  assert.equal(parseTime('0'), 0);
  assert.equal(parseTime('2026-03-01T14:00:00 02:00'), noon, 'a plus that became a space');
});

test('anything else is not a time', () => {
  for (const wrong of [
    '',
    'yesterday',
    '2026',
    '2026-13-01',
    '2026-02-31',
    '2026-03-01T25:00:00Z',
    '12:00',
    '1e12',
    {},
    [],
    true,
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e18,
  ]) {
    assert.equal(parseTime(wrong), undefined, JSON.stringify(wrong));
  }
});

test('every time in a response is parsed back to itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: at('0001-01-01'), max: at('9999-12-31') }), (instant) => {
      assert.equal(parseTime(new Date(instant).toISOString()), instant);
    }),
  );
});

test('an id is a positive integer, also written as a float, and nothing else', () => {
  assert.equal(parseId('10'), 10);
  assert.equal(parseId('10.0'), 10);
  assert.equal(parseId('9007199254740991'), 9_007_199_254_740_991);
  for (const wrong of [
    '',
    '0',
    '01',
    '-1',
    '+1',
    '1e0',
    '0x1',
    '1.5',
    '9007199254740992',
    '1 ',
    'NaN',
    '١',
    '1.',
    '1.00001',
  ]) {
    assert.equal(parseId(wrong), undefined, JSON.stringify(wrong));
  }
});

test('only values that both databases can store are storable', () => {
  assert.ok(isStorable({ a: [1, 'ü', null, true, { b: 0.5 }] }));
  assert.ok(!isStorable('a\u0000b'));
  assert.ok(!isStorable({ 'a\u0000': 1 }));
  assert.ok(!isStorable(['\ud800']));
  assert.ok(!isStorable(Number.POSITIVE_INFINITY));
  let deep: unknown = 1;
  for (let level = 0; level < 5000; level++) deep = [deep];
  assert.ok(!isStorable(deep));
});

test('more forms of a time', () => {
  const instant = Date.UTC(2024, 1, 29, 12, 30, 15, 250);
  for (const text of [
    ...['2024-02-29T12:30:15.250Z', '2024-02-29T14:30:15.250+02:00', '2024-02-29T14:30:15.250+0200'],
    ...['2024-02-29T07:00:15,250-05:30', '2024-02-29T12:30:15.2509Z', '2024-02-29t12:30:15.25z', String(instant)],
  ]) {
    assert.equal(parseTime(text), instant, text);
  }
  assert.equal(parseTime('2024-02-29T14:30:15.250 02:00'), instant, 'a plus that was decoded as a space');
  assert.equal(parseTime('2024-02-29'), Date.UTC(2024, 1, 29));
  assert.equal(parseTime('2024-02-29T12:30Z'), Date.UTC(2024, 1, 29, 12, 30));
  assert.equal(parseTime('0001-01-01'), Date.parse('0001-01-01T00:00:00.000Z'));
  assert.equal(parseTime(instant), instant);
  assert.equal(parseTime('-100000'), -100000);
});

test('more values that are not a time', () => {
  for (const value of [
    ...[
      '',
      'now',
      '2024-02-30',
      '2023-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-1-1',
      '2024-01-01T25:00:00Z',
      '24-01-01',
    ],
    ...['2024-01-01T00:00:60Z', '2024-01-01T00:00:00+25:00', '99999999999999999'],
    ...[true, null, undefined, {}, [], 9e15, Number.NaN, Number.POSITIVE_INFINITY],
  ]) {
    assert.equal(parseTime(value), undefined, String(value));
  }
});
