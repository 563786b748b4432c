import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { type FleetReportKind, REPORT_COLUMNS, type ReportColumn } from '@trackway/contract/resources/fleet-report.ts';
import { columnLabel } from '@trackway/contract/wording/column-label.ts';
import type { Language } from '@trackway/contract/wording/languages.ts';
import { KM_PER_MILE, type Units } from '@trackway/contract/wording/units.ts';
import type { Place } from '../../../platform/sphere.ts';
import type { FleetReportRow } from '../report-row.ts';

/** A report as header and rows of a file: plain numbers, each in one unit, which is in the header. */

/** A time in epoch milliseconds. */
interface TimeCell {
  readonly time: number;
}
export type ReportCell = string | number | TimeCell | null;

export interface ReportTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly ReportCell[])[];
}

export interface TableWanted {
  readonly kind: FleetReportKind;
  /** All columns of the kind, in order, if absent. */
  readonly columns?: readonly string[];
  readonly language: Language;
  /** The units of a reader. If absent, the units of the API: metres, seconds and km/h. */
  readonly units?: Units;
}

type Measure = 'way' | 'time' | 'speed';
const MEASURES: Partial<Record<ReportColumn, Measure>> = {
  distance: 'way',
  duration: 'time',
  idle: 'time',
  speeding: 'time',
  driving: 'time',
  standing: 'time',
  ignition: 'time',
  maxSpeed: 'speed',
  limit: 'speed',
};

interface Scale {
  readonly unit: string;
  /** Divisor from the unit of the rows to this one. */
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

/** The units in headings. */
export const unitsOf = (units: Units | undefined): string[] => Object.values(scalesOf(units)).map(({ unit }) => unit);

/** Readings are exact, all other numbers are rounded. */
const EXACT: ReadonlySet<ReportColumn> = new Set(['min', 'mean', 'max', 'limit']);

/** The selected columns of a kind, in order. */
export const columnsOf = ({ kind, columns }: Pick<TableWanted, 'kind' | 'columns'>): ReportColumn[] =>
  (REPORT_COLUMNS[kind] as readonly ReportColumn[]).filter((column) => columns?.includes(column) ?? true);

export function tableOf(wanted: TableWanted, rows: readonly FleetReportRow[]): ReportTable {
  const columns = columnsOf(wanted);
  return {
    head: columns.flatMap((column) => headsOf(wanted, column)),
    rows: rows.map(rowCells(wanted)),
  };
}

/** The cells of a row for these columns. */
export function rowCells(wanted: TableWanted): (row: FleetReportRow) => ReportCell[] {
  const columns = columnsOf(wanted);
  return (row) => columns.flatMap((column) => cellsOf(row, column, wanted));
}

/** The table with one column for each place: its name, or else its coordinates. For paper, where width is scarce. */
export function joinPlaces(wanted: Pick<TableWanted, 'kind' | 'columns'>, { head, rows }: ReportTable): ReportTable {
  const isPlace = (column: ReportColumn) => column === 'startLocation' || column === 'endLocation';
  const widths = columnsOf(wanted).map((column) => (isPlace(column) ? 3 : 1));
  const starts = widths.map((_, index) => widths.slice(0, index).reduce((all, width) => all + width, 0));
  const joined = (row: readonly ReportCell[]) =>
    // The last row may be a single sentence.
    row.length < head.length
      ? row
      : starts.map((start, index) => {
          const [name = null, lat, lng] = row.slice(start, start + widths[index]!);
          return name !== null || typeof lat !== 'number' ? name : `${lat.toFixed(5)}, ${Number(lng).toFixed(5)}`;
        });
  return { head: starts.map((start) => head[start]!), rows: rows.map(joined) };
}

function headsOf({ kind, language, units }: TableWanted, column: ReportColumn): string[] {
  const label = columnLabel(messagesIn(language).reportWords, kind, column);
  if (column === 'startLocation' || column === 'endLocation') return [label, `${label} lat`, `${label} lng`];
  const measure = MEASURES[column];
  const unit = column === 'share' ? '%' : measure && scalesOf(units)[measure].unit;
  return [unit === undefined ? label : `${label} (${unit})`];
}

function cellsOf(row: FleetReportRow, column: ReportColumn, { language, units }: TableWanted): ReportCell[] {
  const words = messagesIn(language).reportWords;
  switch (column) {
    case 'name':
      return [row.name || words.unnamedDevice({ id: row.deviceId })];
    case 'fence':
      return [row.fenceId === undefined ? null : row.fence || words.unnamedFence({ id: row.fenceId })];
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
