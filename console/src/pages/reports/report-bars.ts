import type { FleetReport, FleetReportRow } from '../../api/reports/reports.ts';
import { date } from '../../format/times.ts';
import { fenceIn, nameIn } from './report-table.ts';

/** The title and the bars of a chart. */
export interface ReportBars {
  readonly question:
    | 'distanceByDay'
    | 'distanceByDevice'
    | 'useByDevice'
    | 'timeByFence'
    | 'timeByDevice'
    | 'stoppedByDevice'
    | 'idlingByDevice';
  readonly unit: 'metres' | 'seconds' | 'share';
  readonly bars: readonly { readonly key: string; readonly label: string; readonly value: number }[];
}

/** More bars would be harder to read than the table. */
const MOST = 31;
/** If the table is the main content, the chart is limited to this many bars until it is expanded. */
const MOST_BEFORE_LIST = 6;
const LISTS: ReadonlySet<FleetReport['kind']> = new Set(['trips', 'stops', 'visits', 'speeding', 'idling']);

export const barsAtFirst = (kind: FleetReport['kind'], count: number) =>
  LISTS.has(kind) ? Math.min(count, MOST_BEFORE_LIST) : count;

export function barsOf({ kind, rows }: FleetReport): ReportBars | undefined {
  switch (kind) {
    case 'days':
      return {
        ...{ question: 'distanceByDay', unit: 'metres' },
        bars: summed(
          rows,
          ({ day }) => [day!, date(`${day}T12:00`)],
          ({ distance }) => distance ?? 0,
          'key',
        ),
      };
    case 'summary':
    case 'trips':
      return {
        question: 'distanceByDevice',
        unit: 'metres',
        bars: summed(rows, byDevice, ({ distance }) => distance ?? 0),
      };
    case 'utilisation': {
      const all = summed(rows, byDevice, (row) => row.duration ?? 0);
      const bars = summed(rows, byDevice, (row) => row.driving ?? 0).map((bar) => ({
        ...bar,
        value: bar.value / (all.find(({ key }) => key === bar.key)?.value || 1),
      }));
      return { question: 'useByDevice', unit: 'share', bars };
    }
    case 'visits':
      return {
        ...{ question: 'timeByFence', unit: 'seconds' },
        bars: summed(
          rows,
          (row) => [String(row.fenceId), fenceIn(row)],
          (row) => row.duration ?? 0,
        ),
      };
    case 'stops':
      return { question: 'stoppedByDevice', unit: 'seconds', bars: summed(rows, byDevice, (row) => row.duration ?? 0) };
    case 'speeding':
      return { question: 'timeByDevice', unit: 'seconds', bars: summed(rows, byDevice, (row) => row.duration ?? 0) };
    case 'idling':
      return { question: 'idlingByDevice', unit: 'seconds', bars: summed(rows, byDevice, (row) => row.duration ?? 0) };
    default:
      return undefined;
  }
}

const byDevice = (row: FleetReportRow): readonly [string, string] => [String(row.deviceId), nameIn(row)];

/** Largest first, or in the order of their keys. */
function summed(
  rows: readonly FleetReportRow[],
  keyOf: (row: FleetReportRow) => readonly [key: string, label: string],
  amountOf: (row: FleetReportRow) => number,
  order: 'value' | 'key' = 'value',
) {
  const sums = new Map<string, { key: string; label: string; value: number }>();
  for (const row of rows) {
    const [key, label] = keyOf(row);
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { key, label, value: amountOf(row) });
    else sum.value += amountOf(row);
  }
  const bars = [...sums.values()].sort((a, b) => (order === 'value' ? b.value - a.value : a.key < b.key ? -1 : 1));
  return order === 'value' ? bars.slice(0, MOST) : bars.slice(-MOST);
}
