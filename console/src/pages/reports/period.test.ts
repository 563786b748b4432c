import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysOfPeriod, PERIODS, problemOfDays, rangeOfDays, rangeOfPeriod } from './period.ts';

const NOW = new Date(2026, 0, 15, 13, 30);
const text = (date: Date) => `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()} ${date.getHours()}`;

test('periods are whole days of the viewer, across the turn of a year', () => {
  const reported = PERIODS.map((period) => {
    const { from, to } = rangeOfPeriod(period, NOW);
    return [period, text(from), text(to)];
  });
  assert.deepEqual(reported, [
    ['today', '2026-1-15 0', '2026-1-16 0'],
    ['yesterday', '2026-1-14 0', '2026-1-15 0'],
    ['week', '2026-1-9 0', '2026-1-16 0'],
    ['lastWeek', '2026-1-5 0', '2026-1-12 0'],
    ['month', '2026-1-1 0', '2026-2-1 0'],
    ['lastMonth', '2025-12-1 0', '2026-1-1 0'],
  ]);
});

test('days are whole, with the last one, and as many as a report takes', () => {
  const { from, to } = rangeOfDays({ from: '2026-02-27', to: '2026-02-28' });
  assert.deepEqual([text(from), text(to)], ['2026-2-27 0', '2026-3-1 0']);
  assert.deepEqual(daysOfPeriod('lastWeek', NOW), { from: '2026-01-05', to: '2026-01-11' });
  assert.equal(problemOfDays({ from: '2026-02-01', to: '2026-02-01' }), undefined);
  assert.equal(problemOfDays({ from: '2026-02-02', to: '2026-02-01' }), 'backwards');
  assert.equal(problemOfDays({ from: '2026-01-01', to: '2026-03-28' }), undefined);
  assert.equal(problemOfDays({ from: '2026-01-01', to: '2026-06-01' }), 'tooLong');
});
