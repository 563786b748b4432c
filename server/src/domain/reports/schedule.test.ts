import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastTime, midnightOfDay, nextTime, rangeOfPeriod } from './schedule.ts';

const BERLIN = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);
const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
const DAILY = { every: 'day', time: '07:00', weekday: 1, monthday: 1 } as const;

test('times follow the wall clock, also over the change of the hour', () => {
  assert.equal(iso(nextTime(DAILY, BERLIN, at('2026-06-01T04:59:59Z'))), '2026-06-01T05:00:00.000Z');
  assert.equal(iso(nextTime(DAILY, BERLIN, at('2026-06-01T05:00:00Z'))), '2026-06-02T05:00:00.000Z');
  // Clocks went back on October 25th, 2026.
  assert.equal(iso(nextTime(DAILY, BERLIN, at('2026-10-24T12:00:00Z'))), '2026-10-25T06:00:00.000Z');
  // 02:30 does not exist on March 29th, 2026: it is sent all the same, once.
  const early = { ...DAILY, time: '02:30' };
  const first = nextTime(early, BERLIN, at('2026-03-28T12:00:00Z'))!;
  assert.ok(first >= at('2026-03-29T00:30:00Z') && first <= at('2026-03-29T01:30:00Z'), iso(first));
  assert.equal(iso(nextTime(early, BERLIN, first)), '2026-03-30T00:30:00.000Z');
});

test('weeks and months come on their day, in zones ahead of UTC and behind it', () => {
  const weekly = { ...DAILY, every: 'week' } as const;
  assert.equal(iso(nextTime(weekly, BERLIN, at('2026-06-01T06:00:00Z'))), '2026-06-08T05:00:00.000Z');
  assert.equal(iso(nextTime(weekly, 'Pacific/Auckland', at('2026-06-01T06:00:00Z'))), '2026-06-07T19:00:00.000Z');
  assert.equal(iso(nextTime(weekly, 'America/Los_Angeles', at('2026-06-01T06:00:00Z'))), '2026-06-01T14:00:00.000Z');
  const monthly = { ...DAILY, every: 'month', monthday: 28 } as const;
  assert.equal(iso(nextTime(monthly, 'UTC', at('2026-01-28T07:00:00Z'))), '2026-02-28T07:00:00.000Z');
  assert.equal(nextTime({ ...DAILY, every: 'never' }, 'UTC', 0), undefined);
});

test('of times that were missed the last one counts', () => {
  assert.equal(iso(lastTime(DAILY, 'UTC', at('2026-06-05T06:00:00Z'))), '2026-06-04T07:00:00.000Z');
  assert.equal(
    iso(lastTime({ ...DAILY, every: 'month' }, 'UTC', at('2026-06-01T06:59:00Z'))),
    '2026-05-01T07:00:00.000Z',
  );
});

test('periods are whole days of the zone', () => {
  const reported = (['today', 'yesterday', 'week', 'lastWeek', 'month', 'lastMonth'] as const).map((period) => {
    const { from, to } = rangeOfPeriod({ period }, BERLIN, at('2026-04-01T22:30:00Z'));
    return [period, iso(from), iso(to)];
  });
  // It is April 2nd there, a Thursday. Clocks went forward on March 29th.
  assert.deepEqual(reported, [
    ['today', '2026-04-01T22:00:00.000Z', '2026-04-02T22:00:00.000Z'],
    ['yesterday', '2026-03-31T22:00:00.000Z', '2026-04-01T22:00:00.000Z'],
    ['week', '2026-03-26T23:00:00.000Z', '2026-04-02T22:00:00.000Z'],
    ['lastWeek', '2026-03-22T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['month', '2026-03-31T22:00:00.000Z', '2026-04-30T22:00:00.000Z'],
    ['lastMonth', '2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
  ]);
});

test('certain days stay, the last one included, over the change of the hour', () => {
  const days = { period: 'days', firstDay: '2026-03-28', lastDay: '2026-03-29' } as const;
  for (const made of ['2026-03-30T00:00:00Z', '2027-01-01T00:00:00Z']) {
    const { from, to } = rangeOfPeriod(days, BERLIN, at(made));
    assert.deepEqual([iso(from), iso(to)], ['2026-03-27T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  }
  for (const none of ['2026-02-30', '2026-13-01', '2026-1-1', 'x', '']) assert.equal(midnightOfDay(none), undefined);
});
