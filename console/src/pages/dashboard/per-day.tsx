import { useMemo } from 'react';
import { Link } from 'wouter';
import { useNotifications } from '../../api/notifications.ts';
import { useFleetReport } from '../../api/reports/reports.ts';
import { LOCALE } from '../../format/locale.ts';
import { count, duration } from '../../format/quantities.ts';
import { dayKey, ZONE } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { ColumnChart } from '../../ui/figures/columns.tsx';
import { Card, Facts, Stack } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';

const words = t.dashboard;
const DAYS = 7;
const MOST_COUNTED = 5000;
const WEEKDAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'short' });

/** The last seven days, today included. */
export interface LastDays {
  readonly from: Date;
  readonly to: Date;
  readonly keys: readonly string[];
}

export function useLastDays(): LastDays {
  const today = dayKey(Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: The day decides, not the moment.
  return useMemo(() => lastDays(new Date()), [today]);
}

/** How far the devices went, and how long their engines idled, what is under way included. */
export function DrivenByDay({ days, groupId }: { days: LastDays; groupId: number | undefined }) {
  const format = useFormat();
  const query = useFleetReport(
    {
      kind: 'utilisation',
      ...{ from: days.from.toISOString(), to: days.to.toISOString(), tz: ZONE },
      ...(groupId !== undefined && { groupId }),
    },
    { keepsPrevious: true, refetchInterval: 300_000 },
  );
  const rows = query.data?.rows ?? [];
  const sums = (of: 'distance' | 'idle') => sumsOf(days.keys, rows, (row) => [row.day!, row[of] ?? 0]);
  const ofGroup = groupId === undefined ? '' : `&group=${groupId}`;
  return (
    <>
      <Card title={words.distance}>
        <Loaded query={query}>
          {() => <ByDay sums={sums('distance')} text={format.distance} report={`/reports?kind=days${ofGroup}`} />}
        </Loaded>
      </Card>
      <Card title={words.idling}>
        <Loaded query={query}>
          {() => <ByDay sums={sums('idle')} text={duration} report={`/reports?kind=utilisation${ofGroup}`} />}
        </Loaded>
      </Card>
    </>
  );
}

/** How many notifications there were. */
export function AlertsByDay({ days, only }: { days: LastDays; only: readonly number[] | undefined }) {
  const query = useNotifications(
    {
      where: { status: 'valid', timestamp: { gte: days.from.toISOString() } },
      ...{ fields: ['id', 'deviceId', 'timestamp'], order: 'id DESC', limit: MOST_COUNTED },
    },
    { refetchInterval: 60_000 },
  );
  return (
    <Card title={words.alerts}>
      <Loaded query={query}>
        {(all) => {
          const those = all.filter(({ deviceId }) => only?.includes(deviceId) ?? true);
          const sums = sumsOf(days.keys, those, ({ timestamp }) => [dayKey(timestamp), 1]);
          return <ByDay sums={sums} text={count} report="/reports?kind=notifications" />;
        }}
      </Loaded>
    </Card>
  );
}

/** @param report the page that lists what is counted, by its period */
function ByDay({
  sums,
  text,
  report,
}: {
  sums: ReadonlyMap<string, number>;
  text: (value: number) => string;
  report: string;
}) {
  const all = [...sums.values()].reduce((sum, value) => sum + value, 0);
  const today = [...sums.values()].at(-1) ?? 0;
  return (
    <Stack>
      <Facts
        facts={[
          [
            t.reports.periods.today,
            <Link key="today" href={`${report}&period=today`}>
              {text(today)}
            </Link>,
          ],
          [
            t.reports.periods.week,
            <Link key="week" href={`${report}&period=week`}>
              {text(all)}
            </Link>,
          ],
        ]}
      />
      {all > 0 && (
        <ColumnChart
          label={words.byDay}
          columns={[...sums].map(([day, value]) => ({
            ...{ key: day, label: WEEKDAY.format(new Date(`${day}T12:00`)), value, text: text(value) },
            href: `${report}&from=${day}&to=${day}`,
          }))}
        />
      )}
    </Stack>
  );
}

function sumsOf<Row>(
  days: readonly string[],
  rows: readonly Row[],
  amountOf: (row: Row) => readonly [day: string, amount: number],
): ReadonlyMap<string, number> {
  const sums = new Map(days.map((day) => [day, 0]));
  for (const row of rows) {
    const [day, amount] = amountOf(row);
    const before = sums.get(day);
    if (before !== undefined) sums.set(day, before + amount);
  }
  return sums;
}

function lastDays(now: Date): LastDays {
  const day = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  return {
    from: day(1 - DAYS),
    to: day(1),
    keys: Array.from({ length: DAYS }, (_, index) => dayKey(day(1 - DAYS + index).getTime())),
  };
}
