import { useMemo } from 'react';
import { Link } from 'wouter';
import { useDays } from '../../../api/devices.ts';
import { duration } from '../../../format/quantities.ts';
import { day as dayName, startOfDay, ZONE } from '../../../format/times.ts';
import { useFormat } from '../../../format/use-format.ts';
import { t } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { Loaded } from '../../../ui/states.tsx';
import css from './last-days.module.css';

const DAYS = 14;
const SHOWN = 7;

/** The last days with trips, newest first, each with a link to its map. */
export function LastDays({ deviceId }: { deviceId: number }) {
  const format = useFormat();
  const range = useMemo(() => {
    const from = startOfDay(Date.now());
    from.setDate(from.getDate() - DAYS + 1);
    const to = startOfDay(Date.now());
    to.setDate(to.getDate() + 1);
    return { from: from.toISOString(), to: to.toISOString(), tz: ZONE };
  }, []);
  const query = useDays(deviceId, range);
  return (
    <Card
      title={t.device.lastDays}
      actions={
        <ButtonLink href={`/devices/${deviceId}/day`} kind="quiet" size="small" icon="route">
          {t.device.allDays}
        </ButtonLink>
      }
    >
      <Loaded query={query}>
        {(days) => {
          const shown = days
            .filter(({ trips }) => trips > 0)
            .slice(-SHOWN)
            .reverse();
          const most = Math.max(1, ...shown.map(({ distance }) => distance));
          if (shown.length === 0) return <p className={css.none}>{t.device.noDays}</p>;
          return (
            <ul className={css.days}>
              {shown.map(({ day, distance, trips, duration: seconds }) => (
                <li key={day}>
                  <Link href={`/devices/${deviceId}/day/${day}`} className={css.day}>
                    <span className={css.name}>{dayName(`${day}T12:00`)}</span>
                    <span className={css.bar} aria-hidden="true">
                      <span style={{ width: `${(distance / most) * 100}%` }} />
                    </span>
                    <span className={css.far}>{format.distance(distance)}</span>
                    <span className={css.more}>
                      {t.device.trips({ count: trips })} · {duration(seconds)}
                    </span>
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
