import { lazy, Suspense, useMemo, useState } from 'react';
import type { FleetReport } from '../../api/reports/reports.ts';
import { count, duration, percent } from '../../format/quantities.ts';
import { useFormat } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Bars } from '../../ui/figures/bars.tsx';
import { Card } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { barsAtFirst, barsOf } from './report-bars.ts';

const ReadingsChart = lazy(() => import('./readings-chart.tsx'));

/** A chart of a report: distance per day, time shares per device, durations per geofence. */
export function ReportChart({ report }: { report: FleetReport }) {
  const format = useFormat();
  const bars = useMemo(() => barsOf(report), [report]);
  const [showsAll, setShowsAll] = useState(false);
  if (report.kind === 'readings')
    // A single day does not form a line.
    return new Set(report.rows.map(({ day }) => day)).size < 2 ? null : (
      <Suspense fallback={<Skeleton lines={5} />}>
        <ReadingsChart report={report} />
      </Suspense>
    );
  if (bars === undefined || bars.bars.length < 2) return null;
  const { question, unit } = bars;
  const all = bars.bars.length;
  const shown = showsAll ? all : barsAtFirst(report.kind, all);
  const reported = (value: number) =>
    unit === 'metres' ? format.distance(value) : unit === 'seconds' ? duration(value) : percent(value * 100);
  return (
    <Card title={t.reports.questions[question]}>
      <Bars
        label={t.reports.questions[question]}
        whole={unit === 'share' ? 1 : undefined}
        bars={bars.bars.slice(0, shown).map((bar) => ({ ...bar, text: reported(bar.value) }))}
      />
      {shown < all && (
        <Button kind="quiet" size="small" onClick={() => setShowsAll(true)}>
          {t.reports.allBars({ count: count(all) })}
        </Button>
      )}
    </Card>
  );
}
