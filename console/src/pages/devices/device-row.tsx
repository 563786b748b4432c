import type { CSSProperties, ReactNode } from 'react';
import { Link } from 'wouter';
import type { Geofence } from '../../api/geofences.ts';
import { type FleetDevice, nowOf } from '../../api/live/fleet-device.ts';
import { percent } from '../../format/quantities.ts';
import { useFormat } from '../../format/use-format.ts';
import { toneOfNow, wordOfNow } from '../../forms/device-now.ts';
import { fencesAt } from '../../map/fence-at.ts';
import { KnownPlace, PlaceName } from '../../map/place-name.tsx';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Badge, ColorDot } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { Ago } from '../../ui/time.tsx';
import css from './devices.module.css';
import { type ColumnKey, LOW_PCT } from './listing.ts';

export function DeviceRow({
  device,
  columns,
  template,
  fences,
  groups,
  isSelected,
  onSelect,
}: {
  device: FleetDevice;
  columns: readonly ColumnKey[];
  /** The widths of the columns. */
  template: string;
  fences: readonly Geofence[];
  /** The names of its groups. */
  groups: string;
  isSelected: boolean;
  onSelect: (isSelected: boolean, withRange: boolean) => void;
}) {
  const format = useFormat();
  const { offlineAfterMin } = usePreferences();
  const doing = nowOf(device, Date.now(), offlineAfterMin);
  const low = device.batteryPct !== null && device.batteryPct <= LOW_PCT;
  const cells: Record<Exclude<ColumnKey, 'name'>, () => ReactNode> = {
    state: () => (
      <Badge tone={toneOfNow(doing)} hasDot>
        {wordOfNow(doing)}
      </Badge>
    ),
    speed: () => (doing.speedKmh === null ? '' : format.speed(doing.speedKmh)),
    battery: () => (
      <span className={classes(low && css.low)}>{device.batteryPct === null ? '' : percent(device.batteryPct)}</span>
    ),
    heard: () => (device.lastSeenAt === undefined ? t.devices.never : <Ago time={device.lastSeenAt} />),
    place: () => <Whereabouts device={device} fences={fences} isMoving={doing.state === 'moving'} />,
    plate: () => device.plate ?? '',
    type: () => device.type ?? '',
    tags: () => device.tags.join(', '),
    groups: () => groups,
  };
  return (
    <div className={classes(css.row, isSelected && css.selected)} style={{ '--columns': template } as CSSProperties}>
      <input
        type="checkbox"
        aria-label={t.deviceList.select({ name: device.name })}
        checked={isSelected}
        onChange={({ target, nativeEvent }) =>
          onSelect(target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
      <div className={css.name}>
        {device.icon ? (
          <span style={{ color: device.color ?? undefined }}>
            <Icon name={device.icon} size={18} />
          </span>
        ) : (
          <ColorDot color={device.color} />
        )}
        <Link href={`/devices/${device.id}`} className={css.link} title={device.name}>
          {device.name}
        </Link>
        {device.right !== 'own' && <span className={css.soft}>{t.devices.shared}</span>}
      </div>
      {columns.map(
        (column) =>
          column !== 'name' && (
            <div key={column} className={classes(css.cell, css[column])}>
              {cells[column]()}
            </div>
          ),
      )}
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

const DIGITS = 4;

/** The smallest fence around it, else the name of the place, else its coordinates. */
function Whereabouts({
  device: { id, lat, lng },
  fences,
  isMoving,
}: {
  device: FleetDevice;
  fences: readonly Geofence[];
  isMoving: boolean;
}) {
  if (lat === undefined || lng === undefined) return null;
  const at = { lat, lng };
  const meant = fences.filter(({ deviceId }) => deviceId === null || deviceId === id);
  // A moving device changes its place every second: no address is requested.
  if (isMoving) return <KnownPlace at={at} fences={meant} />;
  const [smallest] = fencesAt(at, meant);
  return (
    <>{smallest ?? <PlaceName at={at} deviceId={id} otherwise={`${lat.toFixed(DIGITS)}, ${lng.toFixed(DIGITS)}`} />}</>
  );
}
