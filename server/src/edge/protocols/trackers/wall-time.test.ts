import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochOfWallTime, isTimeZone } from './wall-time.ts';

const at = (text: string, timeZone?: string) => {
  const [year, month, day, hour, minute, second] = text.split(/\D/).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const epoch = epochOfWallTime({ year, month, day, hour, minute, second }, timeZone);
  return epoch === undefined ? undefined : new Date(epoch).toISOString().slice(0, 19);
};

test('a clock without a zone shows UTC', () => {
  assert.equal(at('2017-01-17 10:05:42'), '2017-01-17T10:05:42');
  assert.equal(
    epochOfWallTime({ year: 2017, month: 1, day: 17, hour: 0, minute: 0, second: 1, ms: 250 }),
    1484611201250,
  );
});

test('an offset is taken off', () => {
  assert.equal(at('2017-01-17 10:05:42', '+08:00'), '2017-01-17T02:05:42');
  assert.equal(at('2017-01-17 22:05:42', '-03:30'), '2017-01-18T01:35:42');
  assert.equal(at('2017-01-17 10:05:42', 'UTC+2'), '2017-01-17T08:05:42');
  assert.equal(at('2017-01-17 10:05:42', 'UTC'), '2017-01-17T10:05:42');
});

test('a named zone knows its summer time', () => {
  assert.equal(at('2024-01-15 12:00:00', 'Europe/Berlin'), '2024-01-15T11:00:00');
  assert.equal(at('2024-07-15 12:00:00', 'Europe/Berlin'), '2024-07-15T10:00:00');
  assert.equal(at('2024-07-15 00:30:00', 'America/New_York'), '2024-07-15T04:30:00');
  assert.equal(at('2024-12-31 23:59:59', 'Asia/Kathmandu'), '2024-12-31T18:14:59');
});

test('hours around a change of the clock are told one way only', () => {
  assert.equal(at('2024-03-31 01:59:59', 'Europe/Berlin'), '2024-03-31T00:59:59');
  assert.equal(at('2024-03-31 02:30:00', 'Europe/Berlin'), '2024-03-31T01:30:00', 'skipped');
  assert.equal(at('2024-03-31 03:00:00', 'Europe/Berlin'), '2024-03-31T01:00:00');
  assert.equal(at('2024-10-27 02:30:00', 'Europe/Berlin'), '2024-10-27T00:30:00', 'twice: the first');
  assert.equal(at('2024-10-27 03:00:00', 'Europe/Berlin'), '2024-10-27T02:00:00');
  assert.equal(at('2024-11-03 01:30:00', 'America/New_York'), '2024-11-03T05:30:00', 'twice: the first');
});

test('what no clock shows is no time', () => {
  for (const text of ['2023-02-29 00:00:00', '2024-13-01 00:00:00', '2024-00-01 00:00:00', '2024-01-01 24:00:00'])
    assert.equal(at(text), undefined, text);
  assert.equal(at('2024-01-01 00:60:00'), undefined);
  assert.equal(epochOfWallTime({ year: 2024, month: 1, day: 1.5, hour: 0, minute: 0, second: 0 }), undefined);
  assert.equal(
    epochOfWallTime({ year: Number.NaN, month: 1, day: 1, hour: 0, minute: 0, second: 0 }, '+08:00'),
    undefined,
  );
  assert.equal(at('2024-02-29 00:00:00'), '2024-02-29T00:00:00');
});

test('a zone that is not known counts as UTC, and can be told', () => {
  assert.equal(at('2024-01-01 00:00:00', 'Mars/Olympus'), '2024-01-01T00:00:00');
  assert.deepEqual(['Mars/Olympus', '+99:00', '', 'Europe/Berlin', '+08:00', 'UTC'].map(isTimeZone), [
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
});
