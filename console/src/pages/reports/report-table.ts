import { type FleetReportKind, REPORT_COLUMNS, type ReportColumn } from '@trackway/contract/resources/fleet-report.ts';
import { columnLabel } from '@trackway/contract/wording/column-label.ts';
import type { FleetReportRow } from '../../api/reports/reports.ts';
import { nameOfType, numberWith, scaleOf } from '../../forms/reading-type.ts';
import { labelOfType } from '../../forms/trigger-types.ts';
import { t } from '../../texts/t.ts';
import type { Units } from '../../units.ts';

/** The columns of a report, in order. */
export const columnsOf = (kind: FleetReportKind): readonly ReportColumn[] => REPORT_COLUMNS[kind];

export const labelOf = (kind: FleetReportKind, column: ReportColumn) => columnLabel(t.reportWords, kind, column);

export const nameIn = ({ name, deviceId }: FleetReportRow) => name || t.reportWords.unnamedDevice({ id: deviceId });

export const fenceIn = ({ fence, fenceId }: FleetReportRow) => fence || t.reportWords.unnamedFence({ id: fenceId! });

/** The counted type of a row. */
export function typeIn({ type = '' }: FleetReportRow, kind: FleetReportKind): string {
  if (kind === 'messages') return t.reportWords.directions[type as 'toDevice'] ?? type;
  return kind === 'notifications' ? labelOfType(type) : nameOfType(type);
}

/** A number of a reading. */
export function valueIn({ type = '' }: FleetReportRow, value: number, units: Units): string {
  const { unit, shown } = scaleOf(type, units);
  return numberWith(shown(value), unit);
}

/** The totals of the rows. */
export function totalsOf(rows: readonly FleetReportRow[]) {
  const sum = (field: 'trips' | 'distance' | 'duration' | 'driving' | 'count') =>
    rows.reduce((total, row) => total + (row[field] ?? 0), 0);
  return {
    devices: new Set(rows.map(({ deviceId }) => deviceId)).size,
    trips: sum('trips'),
    distance: sum('distance'),
    duration: sum('duration'),
    driving: sum('driving'),
    count: sum('count'),
  };
}

/** Digits behind the point of a speed and its limit: a speed above its limit must not look the same. */
export const speedDigits = (
  { maxSpeed, limit }: Pick<FleetReportRow, 'maxSpeed' | 'limit'>,
  speed: (kmh: number) => string,
): number => (maxSpeed !== null && limit !== undefined && speed(maxSpeed) === speed(limit) ? 1 : 0);
