import { type FleetReportKind, REPORT_COLUMNS, type ReportColumn } from '@trackway/contract/resources/fleet-report.ts';
import { columnLabel } from '@trackway/contract/wording/reports/column-label.ts';
import type { FleetReportRow } from '../../api/reports/reports.ts';
import { labelOfType } from '../../forms/trigger-types.ts';
import { t } from '../../texts/t.ts';

/** Which columns the rows of a report have, in their order. */
export const columnsOf = (kind: FleetReportKind): readonly ReportColumn[] => REPORT_COLUMNS[kind];

export const labelOf = (kind: FleetReportKind, column: ReportColumn) => columnLabel(t.reportWords, kind, column);

export const nameIn = ({ name, deviceId }: FleetReportRow) => name || t.reportWords.unnamedDevice(deviceId);

export const fenceIn = ({ fence, fenceId }: FleetReportRow) => fence || t.reportWords.unnamedFence(fenceId!);

/** What is counted in a row. */
export function typeIn({ type = '' }: FleetReportRow, kind: FleetReportKind): string {
  if (kind === 'messages') return t.reportWords.directions[type as 'toDevice'] ?? type;
  return kind === 'notifications' ? labelOfType(type) : type;
}

/** What the rows come to, together. */
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
