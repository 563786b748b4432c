import { Link } from 'wouter';
import { type FleetDevice, nowOf } from '../../api/live/fleet-device.ts';
import { percent } from '../../format/quantities.ts';
import { useFormat } from '../../format/use-format.ts';
import { toneOfNow, wordOfNow } from '../../forms/device-now.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Badge, ColorDot } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Ago } from '../../ui/time.tsx';
import css from './devices.module.css';

export function DeviceRow({ device }: { device: FleetDevice }) {
  const format = useFormat();
  const { offlineAfterMin } = usePreferences();
  const doing = nowOf(device, Date.now(), offlineAfterMin);
  const low = device.batteryPct !== null && device.batteryPct <= 20;
  return (
    <div className={css.row}>
      <div className={css.name}>
        <ColorDot color={device.color} />
        <span className={css.names}>
          <Link href={`/devices/${device.id}`} className={css.link}>
            {device.name}
          </Link>
          <span className={css.soft}>
            {[device.type, ...device.tags, device.right === 'own' ? '' : t.devices.shared].filter(Boolean).join(' · ')}
          </span>
        </span>
      </div>
      <div className={css.state}>
        <Badge tone={toneOfNow(doing)} hasDot>
          {wordOfNow(doing)}
        </Badge>
      </div>
      <div className={css.speed}>{doing.speedKmh === null ? '' : format.speed(doing.speedKmh)}</div>
      <div className={classes(css.battery, low && css.low)}>
        {device.batteryPct === null ? '' : percent(device.batteryPct)}
      </div>
      <div className={css.heard}>
        {device.lastHeardAt === undefined ? t.devices.never : <Ago time={device.lastHeardAt} />}
      </div>
      <div className={css.map}>
        {device.lat !== undefined && (
          <ButtonLink href={`/?device=${device.id}`} size="small" kind="quiet" icon="map">
            <span className="unseen">{t.devices.onMap}</span>
          </ButtonLink>
        )}
      </div>
    </div>
  );
}
