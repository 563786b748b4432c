import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERIODS, rangeOfPeriod } from './period.ts';

const NOW = new Date(2026, 0, 15, 13, 30);
const text = (date: Date) => `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()} ${date.getHours()}`;

test('periods are whole days of the viewer, across the turn of a year', () => {
  const told = PERIODS.map((period) => {
    const { from, to } = rangeOfPeriod(period, NOW);
    return [period, text(from), text(to)];
  });
  assert.deepEqual(told, [
    ['today', '2026-1-15 0', '2026-1-16 0'],
    ['yesterday', '2026-1-14 0', '2026-1-15 0'],
    ['week', '2026-1-9 0', '2026-1-16 0'],
    ['lastWeek', '2026-1-5 0', '2026-1-12 0'],
    ['month', '2026-1-1 0', '2026-2-1 0'],
    ['lastMonth', '2025-12-1 0', '2026-1-1 0'],
  ]);
});
