import { useNearby } from '../../../api/readings.ts';
import { t } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import css from '../heard/heard-sheet.module.css';
import { thingsOf } from '../heard/nearby.ts';
import { NearbyItem } from '../heard/nearby-thing.tsx';
import { useLiveReadings } from '../readings/use-live-readings.ts';

const MOST = 6;

/** What a gateway heard within a day; nothing for a device that hears nothing. */
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
