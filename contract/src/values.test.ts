import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isStorable, parseId, parseTime } from './values.ts';

const at = (text: string) => Date.parse(text);

test('a time comes in every form of the contract', () => {
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
});

test('what is no time is none', () => {
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

test('every instant that we show is read back as itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: at('0001-01-01'), max: at('9999-12-31') }), (instant) => {
      assert.equal(parseTime(new Date(instant).toISOString()), instant);
    }),
  );
});

test('an id is a positive whole number, also as a float, and nothing that only counts as one', () => {
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

test('what both engines can keep is storable, and nothing else', () => {
  assert.ok(isStorable({ a: [1, 'ü', null, true, { b: 0.5 }] }));
  assert.ok(!isStorable('a\u0000b'));
  assert.ok(!isStorable({ 'a\u0000': 1 }));
  assert.ok(!isStorable(['\ud800']));
  assert.ok(!isStorable(Number.POSITIVE_INFINITY));
  let deep: unknown = 1;
  for (let level = 0; level < 5000; level++) deep = [deep];
  assert.ok(!isStorable(deep));
});
