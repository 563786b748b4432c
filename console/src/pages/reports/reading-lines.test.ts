import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetReportRow } from '../../api/reports/reports.ts';
import { linesOf, typesIn } from './reading-lines.ts';

const WORDS = { mean: 'Mean', min: 'Lowest', max: 'Highest' };
const row = (deviceId: number, day: string, type: string, mean: number, count = 10) =>
  ({ deviceId, name: `D${deviceId}`, day, type, count, min: mean - 1, mean, max: mean + 1 }) as FleetReportRow;

test('one device has three lines, with a gap where it said nothing', () => {
  const rows = [row(1, '2026-06-03', 'temp', 5), row(1, '2026-06-01', 'temp', 3), row(1, '2026-06-02', 'light', 90)];
  const { times, lines } = linesOf(rows, 'temp', WORDS);
  assert.deepEqual(
    times,
    ['2026-06-01', '2026-06-03'].map((day) => new Date(`${day}T12:00`).getTime() / 1000),
  );
  assert.deepEqual(lines, [
    { label: 'Mean', values: [3, 5] },
    { label: 'Lowest', values: [2, 4] },
    { label: 'Highest', values: [4, 6] },
  ]);
  assert.deepEqual(typesIn(rows), ['temp', 'light']);
});

test('several devices have a line each, the devices with the most readings', () => {
  const rows = [1, 2, 3, 4, 5].map((id) => row(id, '2026-06-01', 'temp', id, id));
  assert.deepEqual(
    linesOf([...rows, row(5, '2026-06-02', 'temp', 9)], 'temp', WORDS).lines.map(({ label, values }) => [
      label,
      ...values,
    ]),
    [
      ['D5', 5, 9],
      ['D4', 4, null],
      ['D3', 3, null],
      ['D2', 2, null],
    ],
  );
});
