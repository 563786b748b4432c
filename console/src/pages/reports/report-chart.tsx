import { lazy, Suspense, useMemo } from 'react';
import type { FleetReport } from '../../api/reports/reports.ts';
import { duration, percent } from '../../format/quantities.ts';
import { useFormat } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { Bars } from '../../ui/figures/bars.tsx';
import { Card } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { barsOf } from './report-bars.ts';

const ReadingsChart = lazy(() => import('./readings-chart.tsx'));

/** What a report says at a glance: how far by day, how much of the time by device, how long in each geofence. */
export function ReportChart({ report }: { report: FleetReport }) {
  const format = useFormat();
  const bars = useMemo(() => barsOf(report), [report]);
  if (report.kind === 'readings')
    // One day alone is no line.
    return new Set(report.rows.map(({ day }) => day)).size < 2 ? null : (
      <Suspense fallback={<Skeleton lines={5} />}>
        <ReadingsChart report={report} />
      </Suspense>
    );
  if (bars === undefined || bars.bars.length < 2) return null;
  const { question, unit } = bars;
  const told = (value: number) =>
    unit === 'metres' ? format.distance(value) : unit === 'seconds' ? duration(value) : percent(value * 100);
  return (
    <Card title={t.reports.questions[question]}>
      <Bars
        label={t.reports.questions[question]}
        whole={unit === 'share' ? 1 : undefined}
        bars={bars.bars.map((bar) => ({ ...bar, text: told(bar.value) }))}
      />
    </Card>
  );
}
