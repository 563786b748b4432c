import { useMemo } from 'react';
import { useNearby } from '../../../api/readings.ts';
import { startOfDay } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { Card } from '../../../ui/page.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { useLiveReadings } from '../readings/use-live-readings.ts';
import { thingsOf } from './nearby.ts';
import css from './nearby-sheet.module.css';
import { NearbyItem } from './nearby-thing.tsx';

const MOST = 24;
const DAYS = 30;

/** Each recently received tag once, with its newest values. */
export function Around({ deviceId }: { deviceId: number }) {
  const since = useMemo(() => startOfDay(Date.now()).getTime() - DAYS * 86_400_000, []);
  const query = useNearby(deviceId, since);
  useLiveReadings(deviceId, 'nearbyDevices');
  return (
    <Card title={t.deviceReadings.around}>
      <Loaded query={query}>
        {(nearby) =>
          nearby.length === 0 ? (
            <p className={css.lead}>{t.deviceReadings.noneAround}</p>
          ) : (
            <ul className={css.things}>
              {thingsOf(nearby)
                .slice(0, MOST)
                .map((thing) => (
                  <NearbyItem key={thing.key} thing={thing} deviceId={deviceId} />
                ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
