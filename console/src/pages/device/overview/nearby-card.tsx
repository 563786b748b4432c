import { useNearby } from '../../../api/readings.ts';
import { t } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { thingsOf } from '../nearby/nearby.ts';
import css from '../nearby/nearby-sheet.module.css';
import { NearbyItem } from '../nearby/nearby-thing.tsx';
import { useLiveReadings } from '../readings/use-live-readings.ts';

const MOST = 6;

/** Sightings of a gateway within a day; renders nothing for other devices. */
export function NearbyCard({ deviceId }: { deviceId: number }) {
  const { data } = useNearby(deviceId);
  useLiveReadings(deviceId, 'nearbyDevices');
  if (!data || data.length === 0) return null;
  return (
    <Card
      title={t.deviceReadings.nearby}
      actions={
        <ButtonLink href={`/devices/${deviceId}/heard`} kind="quiet" size="small" icon="bluetooth">
          {t.deviceReadings.allNearby}
        </ButtonLink>
      }
    >
      <ul className={css.things} aria-label={t.deviceReadings.nearby}>
        {thingsOf(data)
          .slice(0, MOST)
          .map((thing) => (
            <NearbyItem key={thing.key} thing={thing} deviceId={deviceId} />
          ))}
      </ul>
    </Card>
  );
}
