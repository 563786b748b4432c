import type { FleetReportKind, ReportColumn } from '@trackway/contract/resources/fleet-report.ts';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { type Geofence, useGeofences } from '../../api/geofences.ts';
import type { FleetReport, FleetReportRow } from '../../api/reports/reports.ts';
import { count, duration, percent } from '../../format/quantities.ts';
import { date, shortDateTime } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { ScoreHelp } from '../../forms/score-help.tsx';
import { KnownPlace } from '../../map/place-name.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts, Stack } from '../../ui/page.tsx';
import { EmptyState, Notice, Skeleton } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ReportChart } from './report-chart.tsx';
import { HAS_PLACES } from './report-places.ts';
import { columnsOf, fenceIn, labelOf, nameIn, speedDigits, totalsOf, typeIn, valueIn } from './report-table.ts';
import css from './reports.module.css';

const ReportMap = lazy(() => import('./report-map.tsx'));
const words = t.reports;
/** More rows would make the page slow; the file contains all. */
const MOST_SHOWN = 1000;
const NO_FENCES: readonly Geofence[] = [];
type Format = ReturnType<typeof useFormat>;

export function ReportRows({ report }: { report: FleetReport }) {
  const { kind, rows, isComplete } = report;
  const format = useFormat();
  const fences = useGeofences().data ?? NO_FENCES;
  const shownRows = useMemo(() => rows.slice(0, MOST_SHOWN), [rows]);
  const [showsMap, setShowsMap] = useState(false);
  const current = CURRENT[kind];
  const note = current && Date.parse(report.to) > Date.now() ? words[current] : undefined;
  if (rows.length === 0)
    return (
      <EmptyState icon="gauge" title={words.none}>
        {words.noneTexts[kind]}
        {note && ` ${note}`}
      </EmptyState>
    );
  const columns = columnsOf(kind)
    .filter((column) => !OPTIONAL.has(column) || rows.some((row) => row[column]))
    .map(
      (column): Column<FleetReportRow> => ({
        key: column,
        label: labelOf(kind, column),
        align: FIGURES.has(column) ? 'end' : 'start',
        wraps: WRAPS[column] ?? 'words',
        cell: (row) => shown(column, row, kind, format, fences),
      }),
    );
  return (
    <Stack>
      {!isComplete && <Notice tone="warn">{words.incomplete({ rows: count(rows.length) })}</Notice>}
      <div className={css.totals}>
        <Card title={words.totals}>
          <Facts facts={factsOf(kind, rows, format)} />
        </Card>
      </div>
      <ReportChart report={report} />
      {HAS_PLACES.has(kind) && (
        <div>
          <Button icon="map" aria-expanded={showsMap} onClick={() => setShowsMap(!showsMap)}>
            {showsMap ? words.hideMap : words.showMap}
          </Button>
        </div>
      )}
      {HAS_PLACES.has(kind) && showsMap && (
        <Suspense fallback={<Skeleton lines={1} height={360} />}>
          <ReportMap rows={shownRows} fences={fences} />
        </Suspense>
      )}
      <Table
        columns={columns}
        rows={shownRows}
        rowKey={(row) => `${row.deviceId} ${row.day ?? row.start} ${row.type ?? row.fenceId ?? row.driverId ?? ''}`}
        caption={words.caption}
        hasCards
      />
      {note && <p>{note}</p>}
      {kind === 'drivers' && <ScoreHelp />}
      {rows.length > MOST_SHOWN && <p>{words.showing({ shown: count(MOST_SHOWN), all: count(rows.length) })}</p>}
    </Stack>
  );
}

type Fact = readonly [string, string];

function factsOf(kind: FleetReportKind, rows: readonly FleetReportRow[], format: Format): Fact[] {
  const totals = totalsOf(rows);
  const facts: Fact[] = [[words.totalDevices, count(totals.devices)]];
  switch (kind) {
    case 'stops':
      return [...facts, [words.totalStopped, duration(totals.duration)]];
    case 'visits':
    case 'speeding':
    case 'idling':
      return [
        ...facts,
        [t.reportWords.columns.count, count(rows.length)],
        [t.reportWords.columns.duration, duration(totals.duration)],
      ];
    case 'utilisation':
      return [
        ...facts,
        [t.reportWords.columns.driving, duration(totals.driving)],
        [t.reportWords.columns.share, percent(totals.duration > 0 ? (100 * totals.driving) / totals.duration : 0)],
        [words.totalDistance, format.distance(totals.distance)],
      ];
    case 'readings':
    case 'notifications':
    case 'messages':
      return [...facts, [t.reportWords.columns.count, count(totals.count)]];
    default:
      return [
        ...facts,
        [words.totalTrips, count(kind === 'trips' ? rows.length : totals.trips)],
        [words.totalDistance, format.distance(totals.distance)],
        [words.totalTime, duration(totals.duration)],
      ];
  }
}

/** Whether a report counts the current trip. */
const CURRENT: Partial<Record<FleetReportKind, 'withCurrent' | 'notEnded'>> = {
  trips: 'notEnded',
  stops: 'notEnded',
  summary: 'withCurrent',
  days: 'withCurrent',
  speeding: 'withCurrent',
  drivers: 'withCurrent',
  utilisation: 'withCurrent',
};
/** Left out while no row has a value. */
const OPTIONAL: ReadonlySet<ReportColumn> = new Set(['plate', 'driver']);
const WRAPS: Partial<Record<ReportColumn, 'times' | 'names'>> = {
  ...{ day: 'times', start: 'times', end: 'times', startLocation: 'names', endLocation: 'names' },
};
const FIGURES: ReadonlySet<ReportColumn> = new Set([
  ...(['trips', 'days', 'distance', 'duration', 'idle', 'maxSpeed', 'limit', 'share', 'driving', 'standing'] as const),
  ...(['harsh', 'speeding', 'score', 'ignition', 'count', 'open', 'min', 'mean', 'max'] as const),
]);

function shown(
  column: ReportColumn,
  row: FleetReportRow,
  kind: FleetReportKind,
  format: Format,
  fences: readonly Geofence[],
) {
  if (column === 'name') return <Link href={`/devices/${row.deviceId}`}>{nameIn(row)}</Link>;
  if (column === 'fence' && row.fenceId !== undefined)
    return <Link href={`/geofences/${row.fenceId}`}>{fenceIn(row)}</Link>;
  if (column === 'type') return typeIn(row, kind);
  const value = row[column];
  if (value === null || value === undefined) return words.never;
  switch (column) {
    case 'driver':
      return <Link href="/drivers">{value as string}</Link>;
    case 'day':
      return <Link href={`/devices/${row.deviceId}/day/${row.day}`}>{date(`${row.day}T12:00`)}</Link>;
    case 'start':
      return kind === 'visits' && !row.entered
        ? words.before({ since: shortDateTime(row.start!) })
        : shortDateTime(row.start!);
    case 'end':
      return kind === 'visits' && !row.left ? words.still({ until: shortDateTime(row.end!) }) : shortDateTime(row.end!);
    case 'distance':
      return format.distance(value as number);
    case 'duration':
    case 'idle':
    case 'speeding':
    case 'driving':
    case 'standing':
    case 'ignition':
      return duration(value as number);
    case 'maxSpeed':
    case 'limit':
      return format.speed(value as number, speedDigits(row, format.speed));
    case 'share':
      return percent((value as number) * 100);
    case 'startLocation':
    case 'endLocation':
      return <KnownPlace at={value as { lat: number; lng: number }} fences={fences} />;
    case 'min':
    case 'mean':
    case 'max':
      return valueIn(row, value as number, format.units);
    default:
      return count(value as number);
  }
}
