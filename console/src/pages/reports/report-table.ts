import type { FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import type { FleetReportRow } from '../../api/reports/reports.ts';
import { t } from '../../texts/t.ts';
import type { CsvCell } from './csv.ts';

/** Which fields the rows of each report have, in the order of their columns. */
export const FIELDS = {
  summary: ['name', 'trips', 'days', 'distance', 'duration', 'idle', 'maxSpeed', 'start', 'end'],
  days: ['day', 'name', 'trips', 'distance', 'duration', 'idle', 'maxSpeed'],
  trips: ['name', 'start', 'end', 'distance', 'duration', 'idle', 'maxSpeed', 'startLocation', 'endLocation'],
  stops: ['name', 'start', 'end', 'duration', 'startLocation'],
} as const satisfies Record<FleetReportKind, readonly (keyof FleetReportRow)[]>;
export type ReportField = (typeof FIELDS)[FleetReportKind][number];

export const nameIn = ({ name, deviceId }: FleetReportRow) => name || t.reports.unnamed(deviceId);

/** Plain figures in one unit each, which stands in the head: metres, seconds and km/h. */
const HEADS: Partial<Record<ReportField, string>> = {
  distance: 'distance (m)',
  duration: 'duration (s)',
  idle: 'idle (s)',
  maxSpeed: 'top speed (km/h)',
};
const PLACES: ReportField[] = ['startLocation', 'endLocation'];
const whole = (value: number) => Math.round(value);

/** The report as the head and the rows of a file. */
export function fileOf(kind: FleetReportKind, rows: readonly FleetReportRow[]): [string[], CsvCell[][]] {
  const fields: readonly ReportField[] = FIELDS[kind];
  const head = fields.flatMap((field) =>
    PLACES.includes(field)
      ? [`${labelOf(kind, field)} lat`, `${labelOf(kind, field)} lng`]
      : [HEADS[field] ?? labelOf(kind, field)],
  );
  return [head, rows.map((row) => fields.flatMap((field) => cellsOf(row, field)))];
}

function cellsOf(row: FleetReportRow, field: ReportField): CsvCell[] {
  if (field === 'name') return [nameIn(row)];
  const value = row[field];
  if (field === 'startLocation' || field === 'endLocation') {
    const place = value as FleetReportRow['startLocation'];
    return [place?.lat ?? null, place?.lng ?? null];
  }
  return [typeof value === 'number' ? whole(value) : (value as string | null)];
}

export const labelOf = (kind: FleetReportKind, field: ReportField): string =>
  kind === 'stops' && field === 'startLocation' ? t.reports.columns.location : t.reports.columns[field];

/** What the rows come to, together. */
export function totalsOf(rows: readonly FleetReportRow[]) {
  const sum = (field: 'trips' | 'distance' | 'duration') => rows.reduce((total, row) => total + (row[field] ?? 0), 0);
  return {
    devices: new Set(rows.map(({ deviceId }) => deviceId)).size,
    trips: sum('trips'),
    distance: sum('distance'),
    duration: sum('duration'),
  };
}
