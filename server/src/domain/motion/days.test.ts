import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DayTrip, daysIn, summarize } from './days.ts';

const at = (text: string) => Date.parse(text);
const trip = (start: string, end: string, more: Partial<DayTrip> = {}): DayTrip => ({
  start: at(start),
  end: at(end),
  distance: 1000,
  idle: 60,
  maxSpeed: 50,
  ...more,
});
const all = { from: 0, to: at('2030-01-01T00:00:00Z') };

test('a trip over midnight counts in both days, each with its part', () => {
  const days = summarize(
    [trip('2026-06-01T23:00:00Z', '2026-06-02T01:00:00Z', { distance: 4000, idle: 120 })],
    'UTC',
    all,
  );
  assert.deepEqual(days, [
    { day: '2026-06-01', trips: 1, distance: 2000, duration: 3600, idle: 60, maxSpeed: 50 },
    { day: '2026-06-02', trips: 1, distance: 2000, duration: 3600, idle: 60, maxSpeed: 50 },
  ]);
});

test('days depend on the time zone, also when clocks change', () => {
  const night = [trip('2026-06-01T22:30:00Z', '2026-06-01T23:30:00Z')];
  assert.deepEqual(
    summarize(night, 'Europe/Berlin', all).map(({ day }) => day),
    ['2026-06-02'],
  );
  assert.deepEqual(
    summarize(night, 'America/New_York', all).map(({ day }) => day),
    ['2026-06-01'],
  );
  // 25 October 2026 has 25 hours in Berlin.
  const long = summarize([trip('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z')], 'Europe/Berlin', all);
  assert.deepEqual(
    long.map(({ day, duration }) => [day, duration / 3600]),
    [['2026-10-25', 25]],
  );
});

test('only the part inside the range counts', () => {
  const range = { from: at('2026-06-01T10:30:00Z'), to: at('2026-06-01T10:45:00Z') };
  const [day] = summarize([trip('2026-06-01T10:00:00Z', '2026-06-01T11:00:00Z')], 'UTC', range);
  assert.deepEqual([day!.duration, day!.distance], [900, 250]);
});

test('a time zone that there is not is refused', () => {
  assert.throws(() => summarize([], 'Moon/Base', all), { statusCode: 422 });
});

test('days end at midnight, regardless of earlier requests', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia'];
  for (const tz of zones) {
    const inARow = daysIn(tz);
    // Apia left out a day in December 2011.
    for (let moment = at('2011-09-01T05:00:00Z'); moment < at('2012-06-01T00:00:00Z'); moment += 13 * 3_600_000) {
      const { day, end } = inARow(moment);
      assert.deepEqual({ day, end }, { day: daysIn(tz)(moment).day, end: daysIn(tz)(moment).end }, `${tz} ${moment}`);
    }
  }
});
