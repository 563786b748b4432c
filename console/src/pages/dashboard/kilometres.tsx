import { useMemo } from 'react';
import { Link } from 'wouter';
import { type FleetReport, useFleetReport } from '../../api/reports/reports.ts';
import { dayKey, day as dayOf, ZONE } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { Bars } from '../../ui/figures/bars.tsx';
import { Card, Facts, Stack } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';

const words = t.dashboard;
const DAYS = 7;

/** How far the devices went today and in the last seven days, what is under way included. */
export function Kilometres({ groupId }: { groupId: number | undefined }) {
  const today = dayKey(Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: The day decides, not the moment.
  const days = useMemo(() => lastDays(new Date()), [today]);
  const query = useFleetReport(
    {
      kind: 'utilisation',
      ...{ from: days.from.toISOString(), to: days.to.toISOString(), tz: ZONE },
      ...(groupId !== undefined && { groupId }),
    },
    { keepsPrevious: true, refetchInterval: 300_000 },
  );
  const address = `/reports?kind=days&period=week${groupId === undefined ? '' : `&group=${groupId}`}`;
  return (
    <Card title={words.distance} actions={<Link href={address}>{t.shell.reports}</Link>}>
      <Loaded query={query}>{(report) => <ByDay report={report} days={days.keys} />}</Loaded>
    </Card>
  );
}

function ByDay({ report, days }: { report: FleetReport; days: readonly string[] }) {
  const format = useFormat();
  const metres = new Map(days.map((day) => [day, 0]));
  for (const { day, distance } of report.rows) metres.set(day!, (metres.get(day!) ?? 0) + (distance ?? 0));
  const all = [...metres.values()].reduce((sum, value) => sum + value, 0);
  return (
    <Stack>
      <Facts
        facts={[
          [t.reports.periods.today, format.distance(metres.get(days.at(-1)!) ?? 0)],
          [t.reports.periods.week, format.distance(all)],
        ]}
      />
      {all > 0 && (
        <Bars
          label={t.reports.questions.distanceByDay}
          bars={[...metres].map(([day, value]) => ({
            ...{ key: day, label: dayOf(`${day}T12:00`), value, text: format.distance(value) },
          }))}
        />
      )}
    </Stack>
  );
}

function lastDays(now: Date) {
  const day = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  return {
    from: day(1 - DAYS),
    to: day(1),
    keys: Array.from({ length: DAYS }, (_, index) => dayKey(day(1 - DAYS + index).getTime())),
  };
}
