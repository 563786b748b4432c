import { Link } from 'wouter';
import { type Geofence, useGeofences } from '../../api/geofences.ts';
import { useInside } from '../../api/inside.ts';
import { nowOf } from '../../api/live/fleet-device.ts';
import { clock, dateTime, dayKey } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { fenceNear } from '../../map/fence-at.ts';
import { PlaceName } from '../../map/place-name.tsx';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Card } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import css from './dashboard.module.css';
import type { Person } from './overview.ts';

const words = t.dashboard.people;

/** Where each person is: the geofence that the phone is in and since when, or how far away the nearest one is. */
export function People({ people, now }: { people: readonly Person[]; now: number }) {
  const fences = useGeofences({ limit: 2000 });
  return (
    <Card title={words.title}>
      <ul className={css.list}>
        {people.map((person) => (
          <li key={person.id}>
            <Link href={`/?device=${person.id}`}>{person.name}</Link>
            {person.lat === undefined || person.lng === undefined ? (
              <span>{t.map.noPosition}</span>
            ) : (
              fences.data && (
                <Where person={person} at={{ lat: person.lat, lng: person.lng }} fences={fences.data} now={now} />
              )
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface Whereabouts {
  readonly person: Person;
  readonly at: { readonly lat: number; readonly lng: number };
  readonly now: number;
}

function Where({ fences, ...where }: Whereabouts & { fences: readonly Geofence[] }) {
  const { person, at } = where;
  const near = fenceNear(
    at,
    fences.filter(({ deviceId }) => deviceId === null || deviceId === person.id),
  );
  if (near) return <WithFence key={near.fence.id} {...where} fence={near.fence} awayM={near.awayM} />;
  return <Elsewhere {...where} />;
}

/** Whether the phone is inside is decided by the server, as for alerts. */
function WithFence({ fence, awayM, ...where }: Whereabouts & { fence: Geofence; awayM: number }) {
  const format = useFormat();
  const { data } = useInside(fence.id);
  if (data === undefined) return null;
  const place = fence.name!;
  const since = data.find(({ deviceId }) => deviceId === where.person.id)?.since;
  // A new geofence is evaluated from the next position on.
  if (since || awayM === 0)
    return (
      <span>
        {since ? words.atSince({ place, time: saidTime(since, where.now) }) : words.at({ place })} <Old {...where} />
      </span>
    );
  return <Elsewhere {...where} from={t.map.from({ distance: format.distance(awayM), place })} />;
}

const saidTime = (time: string, now: number) => (dayKey(time) === dayKey(now) ? clock(time) : dateTime(time));

function Elsewhere({ person, at, now, from }: Whereabouts & { from?: string }) {
  const { offlineAfterMin } = usePreferences();
  const isMoving = nowOf(person, now, offlineAfterMin).state === 'moving';
  return (
    <>
      <span>
        {[isMoving && words.underway, from].filter(Boolean).join(', ')} <Old {...{ person, at, now }} />
      </span>
      {!isMoving && <PlaceName at={at} deviceId={person.id} className={css.place} />}
    </>
  );
}

/** When the position is from, if the phone has been silent since. */
function Old({ person, now }: Whereabouts) {
  const { offlineAfterMin } = usePreferences();
  if (nowOf(person, now, offlineAfterMin).state !== 'offline') return null;
  return (
    <>
      (<Ago time={person.at} happened />)
    </>
  );
}
