import { type FleetReportKind, REPORT_COLUMNS, type ReportColumn } from '@trackway/contract/resources/fleet-report.ts';
import type { Language } from '@trackway/contract/wording/languages.ts';
import { columnLabel } from '@trackway/contract/wording/reports/column-label.ts';
import { REPORT_WORDS } from '@trackway/contract/wording/reports/report-wordings.ts';
import { KM_PER_MILE, type Units } from '@trackway/contract/wording/units.ts';
import type { Place } from '../../../platform/sphere.ts';
import type { FleetReportRow } from '../report-row.ts';

/** A report as the head and the rows of a file: plain figures in one unit each, which stands in the head. */

/** A time in epoch milliseconds. */
export interface TimeCell {
  readonly time: number;
}
export type ReportCell = string | number | TimeCell | null;

export interface ReportTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly ReportCell[])[];
}

export interface TableWanted {
  readonly kind: FleetReportKind;
  /** Those of the kind, in their order, if absent. */
  readonly columns?: readonly string[];
  readonly language: Language;
  /** Those of a reader. If absent, as the API has them: metres, seconds and km/h. */
  readonly units?: Units;
}

type Measure = 'way' | 'time' | 'speed';
const MEASURES: Partial<Record<ReportColumn, Measure>> = {
  distance: 'way',
  duration: 'time',
  idle: 'time',
  driving: 'time',
  standing: 'time',
  ignition: 'time',
  maxSpeed: 'speed',
  limit: 'speed',
};

interface Scale {
  readonly unit: string;
  /** So many of what the rows have are one of these. */
  readonly each: number;
  readonly digits: number;
}

const AS_IN_API: Readonly<Record<Measure, Scale>> = {
  way: { unit: 'm', each: 1, digits: 0 },
  time: { unit: 's', each: 1, digits: 0 },
  speed: { unit: 'km/h', each: 1, digits: 0 },
};

function scalesOf(units: Units | undefined): Readonly<Record<Measure, Scale>> {
  if (units === undefined) return AS_IN_API;
  const isMiles = units.distance === 'imperial';
  return {
    way: { unit: isMiles ? 'mi' : 'km', each: 1000 * (isMiles ? KM_PER_MILE : 1), digits: 1 },
    time: { unit: 'h', each: 3600, digits: 2 },
    speed: { unit: isMiles ? 'mph' : 'km/h', each: isMiles ? KM_PER_MILE : 1, digits: 0 },
  };
}

/** Readings are as they were measured, all others are whole. */
const EXACT: ReadonlySet<ReportColumn> = new Set(['min', 'mean', 'max', 'limit']);

/** The columns of a kind that are wanted, in their order. */
export const columnsOf = ({ kind, columns }: Pick<TableWanted, 'kind' | 'columns'>): ReportColumn[] =>
  (REPORT_COLUMNS[kind] as readonly ReportColumn[]).filter((column) => columns?.includes(column) ?? true);

export function tableOf(wanted: TableWanted, rows: readonly FleetReportRow[]): ReportTable {
  const columns = columnsOf(wanted);
  return {
    head: columns.flatMap((column) => headsOf(wanted, column)),
    rows: rows.map(rowCells(wanted)),
  };
}

/** The cells of a row below those heads. */
export function rowCells(wanted: TableWanted): (row: FleetReportRow) => ReportCell[] {
  const columns = columnsOf(wanted);
  return (row) => columns.flatMap((column) => cellsOf(row, column, wanted));
}

function headsOf({ kind, language, units }: TableWanted, column: ReportColumn): string[] {
  const label = columnLabel(REPORT_WORDS[language], kind, column);
  if (column === 'startLocation' || column === 'endLocation') return [label, `${label} lat`, `${label} lng`];
  const measure = MEASURES[column];
  const unit = column === 'share' ? '%' : measure && scalesOf(units)[measure].unit;
  return [unit === undefined ? label : `${label} (${unit})`];
}

function cellsOf(row: FleetReportRow, column: ReportColumn, { language, units }: TableWanted): ReportCell[] {
  const words = REPORT_WORDS[language];
  switch (column) {
    case 'name':
      return [row.name || words.unnamedDevice(row.deviceId)];
    case 'fence':
      return [row.fenceId === undefined ? null : row.fence || words.unnamedFence(row.fenceId)];
    case 'type':
      return [words.directions[row.type as 'toDevice'] ?? row.type ?? null];
    case 'start':
    case 'end':
      return [row[column] === null ? null : { time: row[column] }];
    case 'startLocation':
      return placeCells(row.startPlace, row.startLocation);
    case 'endLocation':
      return placeCells(row.endPlace, row.endLocation);
    case 'share':
      return [Math.round((row.share ?? 0) * 1000) / 10];
    default: {
      const value = row[column] ?? null;
      if (typeof value !== 'number') return [value];
      const measure = MEASURES[column];
      if (measure === undefined) return [EXACT.has(column) ? value : Math.round(value)];
      const { each, digits } = scalesOf(units)[measure];
      return [EXACT.has(column) && each === 1 ? value : rounded(value / each, digits)];
    }
  }
}

const placeCells = (name: string | null | undefined, place: Place | null): ReportCell[] => [
  name ?? null,
  place?.lat ?? null,
  place?.lng ?? null,
];

const rounded = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;
