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

/** The list of devices that fit, of the group that is looked at. */
const listOf = (query: string, groupId: number | undefined) =>
  `/devices?${query}${groupId === undefined ? '' : `&group=${groupId}`}`;

interface Props {
  readonly overview: Overview;
  readonly groupId: number | undefined;
}

export const Counts = ({ overview: { counts }, groupId }: Props) => (
  <ul className={css.counts} aria-label={words.now}>
    {STATES.map((state) => (
      <li key={state}>
        <Link href={listOf(`state=${state}`, groupId)} className={css.count}>
          <b>{count(counts[state])}</b>
          <span>{t.map[state]}</span>
        </Link>
      </li>
    ))}
  </ul>
);

export const Silent = ({ overview: { silent }, groupId }: Props) => (
  <Card
    title={words.silent({ number: count(silent.length) })}
    actions={<Link href={listOf('state=offline', groupId)}>{words.showAll}</Link>}
  >
    {silent.length === 0 ? (
      <p>{words.noneSilent}</p>
    ) : (
      <ul className={css.list}>
        {silent.slice(0, MOST_LISTED).map(({ id, name, lat, lng, lastSeenAt }) => (
          <li key={id}>
            <Link href={`/devices/${id}`}>{name}</Link>
            <span>{lastSeenAt === undefined ? words.neverHeard : <Ago time={lastSeenAt} />}</span>
            {lat !== undefined && lng !== undefined && (
              <PlaceName at={{ lat, lng }} deviceId={id} className={css.place} />
            )}
          </li>
        ))}
      </ul>
    )}
    <More shown={silent.length} href={listOf('state=offline', groupId)} />
  </Card>
);

export const Batteries = ({ overview: { batteries }, groupId }: Props) => (
  <Card
    title={words.batteries({ number: count(batteries.length) })}
    actions={<Link href={listOf('battery=low', groupId)}>{words.showAll}</Link>}
  >
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
    <More shown={batteries.length} href={listOf('battery=low', groupId)} />
  </Card>
);

const More = ({ shown, href }: { shown: number; href: string }) =>
  shown > MOST_LISTED ? (
    <p>
      <Link href={href}>{words.more({ number: count(shown - MOST_LISTED) })}</Link>
    </p>
  ) : null;
