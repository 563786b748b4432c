import { useFleet } from '../../api/live/fleet.ts';
import { type FleetDevice, nowOf } from '../../api/live/fleet-device.ts';
import { compass, latLng, percent } from '../../format/quantities.ts';
import { useFormat, useNow } from '../../format/use-format.ts';
import { toneOfNow, wordOfNow } from '../../forms/device-now.ts';
import { PlaceName } from '../../map/place-name.tsx';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Badge, Tag } from '../../ui/badge.tsx';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './device-panel.module.css';

export function DevicePanel({
  device,
  isFollowing,
  onFollow,
  onCentre,
  onClose,
}: {
  device: FleetDevice;
  isFollowing: boolean;
  onFollow: (follows: boolean) => void;
  onCentre: () => void;
  onClose: () => void;
}) {
  useFleet();
  const now = useNow(5000);
  const format = useFormat();
  const { offlineAfterMin } = usePreferences();
  const doing = nowOf(device, Math.max(now, Date.now()), offlineAfterMin);
  const isPlaced = device.lat !== undefined;
  return (
    <section className={css.panel} aria-label={t.map.panel} data-covers="side">
      <header className={css.head}>
        <div className={css.titles}>
          <h2>{device.name}</h2>
          <div className={css.line} aria-live="polite">
            <Badge tone={toneOfNow(doing)} hasDot>
              {wordOfNow(doing)}
            </Badge>
            {device.type && <Tag>{device.type}</Tag>}
            {device.tags.slice(0, 3).map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </div>
        </div>
        <IconButton icon="close" size="small" label={t.map.close} onClick={onClose} />
      </header>
      {isPlaced ? <Position device={device} /> : <p className={css.soft}>{t.map.noPosition}</p>}
      <Facts
        facts={[
          [t.map.speed, doing.speedKmh === null ? null : format.speed(doing.speedKmh)],
          [t.map.heading, doing.course === null ? null : `${compass(doing.course)} ${Math.round(doing.course)}°`],
          [t.map.battery, device.batteryPct === null ? null : percent(device.batteryPct)],
          [
            t.map.accuracy,
            device.accuracyM === null ? null : t.map.accurate({ distance: format.distance(device.accuracyM) }),
          ],
          [t.map.lastHeard, device.lastSeenAt ? <Ago key="heard" time={device.lastSeenAt} /> : t.map.never],
          [t.map.positionAge, isPlaced ? <Ago key="at" time={device.at} happened /> : null],
        ]}
      />
      <div className={css.actions}>
        {isPlaced && (
          <>
            <Button
              icon="follow"
              size="small"
              kind={isFollowing ? 'primary' : 'plain'}
              aria-pressed={isFollowing}
              onClick={() => onFollow(!isFollowing)}
            >
              {isFollowing ? t.map.following : t.map.follow}
            </Button>
            <Button icon="target" size="small" onClick={onCentre}>
              {t.map.centre}
            </Button>
          </>
        )}
        <ButtonLink href={`/devices/${device.id}`} icon="right" size="small">
          {t.map.open}
        </ButtonLink>
      </div>
    </section>
  );
}

/** Its coordinates, to copy, and the name of the place. */
function Position({ device }: { device: FleetDevice }) {
  const at = { lat: device.lat!, lng: device.lng! };
  const copy = async () => {
    await navigator.clipboard.writeText(latLng(at));
    toast({ text: t.map.copied, tone: 'good' });
  };
  return (
    <button type="button" className={css.position} title={t.map.copyPosition} onClick={() => void copy()}>
      <Icon name="pin" size={18} />
      <span>
        <PlaceName at={at} deviceId={device.id} className={css.near} />
        <span className={css.coordinates}>{latLng(at)}</span>
      </span>
    </button>
  );
}
