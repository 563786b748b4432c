import { FLEET_REPORTS, type FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { type FleetReport, type FleetReportRow, useFleetReport } from '../../api/reports/reports.ts';
import { count, duration, latLng } from '../../format/quantities.ts';
import { date, dateTime, dayKey, ZONE } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { PickDevice } from '../../forms/pick-device.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { Card, Facts, Page, Stack } from '../../ui/page.tsx';
import { EmptyState, Loaded, Notice } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { csvOf, saveText } from './csv.ts';
import { PERIODS, type Period, type PeriodRange, rangeOfPeriod } from './period.ts';
import { FIELDS, fileOf, labelOf, nameIn, type ReportField, totalsOf } from './report-table.ts';
import css from './reports.module.css';

const words = t.reports;
/** More rows make a page slow; the file has them all. */
const MOST_SHOWN = 1000;

/** What devices did in a period: chosen in the address, so that a report can be kept as a bookmark. */
export default function ReportsPage() {
  const [search, setSearch] = useSearchParams();
  const kind = FLEET_REPORTS.find((one) => one === search.get('kind')) ?? 'summary';
  const period = PERIODS.find((one) => one === search.get('period')) ?? 'week';
  const deviceId = /^[1-9]\d{0,14}$/.test(search.get('device') ?? '') ? Number(search.get('device')) : undefined;
  const choose = (name: string, value: string | undefined) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value === undefined) next.delete(name);
      else next.set(name, value);
      return next;
    });
  // The same range until midnight, so that the report is asked for once.
  const today = dayKey(Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: The day decides, not the moment.
  const range = useMemo(() => rangeOfPeriod(period, new Date()), [period, today]);
  const query = useFleetReport(
    {
      kind,
      from: range.from.toISOString(),
      to: range.to.toISOString(),
      tz: ZONE,
      ...(deviceId !== undefined && { deviceIds: [deviceId] }),
    },
    { keepsPrevious: true },
  );
  return (
    <Page title={words.title} lead={words.lead} width="full" actions={<Takers report={query.data} range={range} />}>
      <Stack>
        <div className={css.choices}>
          <SelectField<FleetReportKind>
            label={words.kind}
            value={kind}
            onChange={(value) => choose('kind', value)}
            choices={FLEET_REPORTS.map((value) => ({ value, label: words.kinds[value] }))}
          />
          <SelectField<Period>
            label={words.period}
            value={period}
            onChange={(value) => choose('period', value)}
            choices={PERIODS.map((value) => ({ value, label: words.periods[value] }))}
          />
          <PickDevice
            label={words.device}
            placeholder={words.allDevices}
            deviceId={deviceId}
            onChange={(id) => choose('device', id === undefined ? undefined : String(id))}
          />
        </div>
        <Loaded query={query} lines={8}>
          {(report) => <Made report={report} />}
        </Loaded>
      </Stack>
    </Page>
  );
}

function Takers({ report, range }: { report: FleetReport | undefined; range: PeriodRange }) {
  const save = () => {
    const [head, rows] = fileOf(report!.kind, report!.rows);
    saveText(csvOf(head, rows), `${words.kinds[report!.kind]} ${dayKey(range.from)}.csv`);
  };
  const isEmpty = !report || report.rows.length === 0;
  return (
    <>
      <Button icon="download" disabled={isEmpty} onClick={save}>
        {words.csv}
      </Button>
      <Button disabled={isEmpty} onClick={() => print()}>
        {words.print}
      </Button>
    </>
  );
}

function Made({ report: { kind, rows, isComplete } }: { report: FleetReport }) {
  const format = useFormat();
  const totals = totalsOf(rows);
  if (rows.length === 0)
    return (
      <EmptyState icon="gauge" title={words.none}>
        {words.noneText}
      </EmptyState>
    );
  const columns = (FIELDS[kind] as readonly ReportField[]).map(
    (field): Column<FleetReportRow> => ({
      key: field,
      label: labelOf(kind, field),
      isMinor: MINOR.has(field),
      align: FIGURES.has(field) ? 'end' : 'start',
      cell: (row) => shown(field, row, format),
    }),
  );
  return (
    <Stack>
      {!isComplete && <Notice tone="warn">{words.incomplete(count(rows.length))}</Notice>}
      <Card title={words.totals}>
        <Facts
          facts={[
            [words.totalDevices, count(totals.devices)],
            ...(kind === 'stops'
              ? [[words.totalStopped, duration(totals.duration)] as const]
              : [
                  [words.totalTrips, count(kind === 'trips' ? rows.length : totals.trips)] as const,
                  [words.totalDistance, format.distance(totals.distance)] as const,
                  [words.totalTime, duration(totals.duration)] as const,
                ]),
          ]}
        />
      </Card>
      <Table
        columns={columns}
        rows={rows.slice(0, MOST_SHOWN)}
        rowKey={(row) => `${row.deviceId} ${row.day ?? row.start}`}
        caption={words.caption}
      />
      {rows.length > MOST_SHOWN && <p>{words.showing(count(MOST_SHOWN), count(rows.length))}</p>}
    </Stack>
  );
}

const MINOR: ReadonlySet<ReportField> = new Set(['days', 'idle', 'maxSpeed', 'startLocation', 'endLocation']);
const FIGURES: ReadonlySet<ReportField> = new Set(['trips', 'days', 'distance', 'duration', 'idle', 'maxSpeed']);

function shown(field: ReportField, row: FleetReportRow, format: ReturnType<typeof useFormat>) {
  if (field === 'name') return <Link href={`/devices/${row.deviceId}`}>{nameIn(row)}</Link>;
  const value = row[field];
  if (value === null) return words.never;
  switch (field) {
    case 'day':
      return <Link href={`/devices/${row.deviceId}/day/${row.day}`}>{date(`${row.day}T12:00`)}</Link>;
    case 'start':
    case 'end':
      return dateTime(value as string);
    case 'distance':
      return format.distance(value as number);
    case 'duration':
    case 'idle':
      return duration(value as number);
    case 'maxSpeed':
      return format.speed(value as number);
    case 'startLocation':
    case 'endLocation':
      return latLng(value as { lat: number; lng: number });
    default:
      return count(value as number);
  }
}
