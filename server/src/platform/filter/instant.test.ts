import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInstant } from './instant.ts';

test('times as the API takes them', () => {
  const instant = Date.UTC(2024, 1, 29, 12, 30, 15, 250);
  for (const text of [
    ...['2024-02-29T12:30:15.250Z', '2024-02-29T14:30:15.250+02:00', '2024-02-29T14:30:15.250+0200'],
    ...['2024-02-29T07:00:15,250-05:30', '2024-02-29T12:30:15.2509Z', '2024-02-29t12:30:15.25z', String(instant)],
  ]) {
    assert.equal(parseInstant(text), instant, text);
  }
  assert.equal(parseInstant('2024-02-29T14:30:15.250 02:00'), instant, 'a plus that was decoded as a space');
  assert.equal(parseInstant('2024-02-29'), Date.UTC(2024, 1, 29));
  assert.equal(parseInstant('2024-02-29T12:30Z'), Date.UTC(2024, 1, 29, 12, 30));
  assert.equal(parseInstant('0001-01-01'), Date.parse('0001-01-01T00:00:00.000Z'));
  assert.equal(parseInstant(instant), instant);
  assert.equal(parseInstant('-1000'), -1000);
});

test('what is no time', () => {
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
    ...[
      '2024-01-01T00:00:60Z',
      '2024-01-01T00:00:00',
      '2024-01-01T00:00:00+25:00',
      '2024-01-01 00:00:00',
      '99999999999999999',
    ],
    ...[true, null, undefined, {}, [], 9e15, Number.NaN, Number.POSITIVE_INFINITY],
  ]) {
    assert.equal(parseInstant(value), undefined, String(value));
  }
});
