import { Link } from 'wouter';
import { useFleetReport } from '../../api/reports/reports.ts';
import { count } from '../../format/quantities.ts';
import { ZONE } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { Card } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import css from './dashboard.module.css';
import { MOST_LISTED } from './overview.ts';
import type { LastDays } from './per-day.tsx';

const words = t.dashboard;

/** The devices that were too fast most often, by the limits of the viewer's alerts. */
export function Speeders({ days, groupId }: { days: LastDays; groupId: number | undefined }) {
  const format = useFormat();
  const query = useFleetReport(
    {
      kind: 'speeding',
      ...{ from: days.from.toISOString(), to: days.to.toISOString(), tz: ZONE },
      ...(groupId !== undefined && { groupId }),
    },
    { keepsPrevious: true, refetchInterval: 300_000 },
  );
  return (
    <Card title={words.speeding}>
      <Loaded query={query}>
        {({ rows }) => {
          const worst = [...Map.groupBy(rows, ({ deviceId }) => deviceId)].toSorted(
            ([, one], [, other]) => other.length - one.length,
          );
          if (worst.length === 0) return <p>{words.noSpeeding}</p>;
          return (
            <ul className={css.list}>
              {worst.slice(0, MOST_LISTED).map(([id, times]) => (
                <li key={id}>
                  <Link href={`/devices/${id}`}>{times[0]!.name ?? t.links.aDevice({ id })}</Link>
                  <Link href={`/reports?kind=speeding&period=week&device=${id}`}>
                    {words.speedingTimes({
                      times: count(times.length),
                      fastest: format.speed(Math.max(...times.map(({ maxSpeed }) => maxSpeed ?? 0))),
                    })}
                  </Link>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}
