import { Link } from 'wouter';
import type { FleetState } from '../../api/live/fleet-device.ts';
import { count, percent } from '../../format/quantities.ts';
import { PlaceName } from '../../map/place-name.tsx';
import { t } from '../../texts/t.ts';
import { Battery } from '../../ui/figures/battery.tsx';
import { Card } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import css from './dashboard.module.css';
import { MOST_LISTED, type Overview } from './overview.ts';

const words = t.dashboard;
const STATES: readonly FleetState[] = ['moving', 'stopped', 'offline'];

export const Counts = ({ overview: { counts } }: { overview: Overview }) => (
  <ul className={css.counts} aria-label={words.now}>
    {STATES.map((state) => (
      <li key={state} className={css.count}>
        <b>{count(counts[state])}</b>
        <span>{t.map[state]}</span>
      </li>
    ))}
  </ul>
);

export const Silent = ({ overview: { silent } }: { overview: Overview }) => (
  <Card title={words.silent(count(silent.length))}>
    {silent.length === 0 ? (
      <p>{words.noneSilent}</p>
    ) : (
      <ul className={css.list}>
        {silent.slice(0, MOST_LISTED).map(({ id, name, lat, lng, lastHeardAt }) => (
          <li key={id}>
            <Link href={`/devices/${id}`}>{name}</Link>
            <span>{lastHeardAt === undefined ? words.neverHeard : <Ago time={lastHeardAt} />}</span>
            {lat !== undefined && lng !== undefined && (
              <PlaceName at={{ lat, lng }} deviceId={id} className={css.place} />
            )}
          </li>
        ))}
      </ul>
    )}
    <More shown={silent.length} />
  </Card>
);

export const Batteries = ({ overview: { batteries } }: { overview: Overview }) => (
  <Card title={words.batteries(count(batteries.length))}>
    {batteries.length === 0 ? (
      <p>{words.noneLow}</p>
    ) : (
      <ul className={css.list}>
        {batteries.slice(0, MOST_LISTED).map(({ id, name, batteryPct }) => (
          <li key={id}>
            <Link href={`/devices/${id}`}>{name}</Link>
            <span>
              <Battery pct={batteryPct!} /> {percent(batteryPct!)}
            </span>
          </li>
        ))}
      </ul>
    )}
    <More shown={batteries.length} />
  </Card>
);

const More = ({ shown }: { shown: number }) =>
  shown > MOST_LISTED ? (
    <p>
      <Link href="/devices">{words.more(count(shown - MOST_LISTED))}</Link>
    </p>
  ) : null;
