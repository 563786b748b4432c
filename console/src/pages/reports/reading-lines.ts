import type { FleetReportRow } from '../../api/reports/reports.ts';
import { nameIn } from './report-table.ts';

/** Lines over the days of a report: seconds since the epoch, and a value or null for each. */
export interface ReadingLines {
  readonly times: readonly number[];
  readonly lines: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
}

/** Maximum number of lines with distinct colours. */
const MOST_DEVICES = 4;

/** Reading types, most frequent first. */
export function typesIn(rows: readonly FleetReportRow[]): string[] {
  const counts = new Map<string, number>();
  for (const { type = '', count = 0 } of rows) counts.set(type, (counts.get(type) ?? 0) + count);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([type]) => type);
}

/** For one device minimum, maximum and average; for several, the average of those with the most readings. */
export function linesOf(
  rows: readonly FleetReportRow[],
  type: string,
  words: { readonly mean: string; readonly min: string; readonly max: string },
): ReadingLines {
  const meant = rows.filter((row) => row.type === type && row.day);
  const days = [...new Set(meant.map(({ day }) => day!))].sort();
  const devices = [...Map.groupBy(meant, ({ deviceId }) => deviceId).values()]
    .sort((a, b) => said(b) - said(a))
    .slice(0, MOST_DEVICES);
  const valuesOf = (of: readonly FleetReportRow[], which: 'mean' | 'min' | 'max') => {
    const byDay = new Map(of.map((row) => [row.day, row[which]]));
    return days.map((day) => byDay.get(day) ?? null);
  };
  return {
    // Noon, so that a value is in the middle of its day.
    times: days.map((day) => new Date(`${day}T12:00`).getTime() / 1000),
    lines:
      devices.length === 1
        ? (['mean', 'min', 'max'] as const).map((which) => ({
            label: words[which],
            values: valuesOf(devices[0]!, which),
          }))
        : devices.map((of) => ({ label: nameIn(of[0]!), values: valuesOf(of, 'mean') })),
  };
}

const said = (rows: readonly FleetReportRow[]) => rows.reduce((sum, { count = 0 }) => sum + count, 0);
