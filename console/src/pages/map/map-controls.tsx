import { devices } from '../../api/live/fleet.ts';
import { boundsOf, fitTo, lookAt, zoomBy } from '../../map/camera.ts';
import type { MapLibre } from '../../map/map-part.ts';
import { prefer, usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Menu } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './map-controls.module.css';
import { HEAT_DAYS, type HeatDays } from './use-heat.ts';

const mayKnowPlace = 'geolocation' in navigator && window.isSecureContext;

export function MapControls({
  map,
  heat,
  onHeat,
  isCovered,
}: {
  map: MapLibre | undefined;
  heat: HeatDays | undefined;
  onHeat: (days: HeatDays | undefined) => void;
  /** Whether the panel of a device covers them, on a phone. */
  isCovered: boolean;
}) {
  const { showsFences } = usePreferences();
  const here = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => map && lookAt(map, { lat: coords.latitude, lng: coords.longitude }, true),
      () => toast({ text: t.map.hereRefused, tone: 'danger' }),
    );
  return (
    <div className={classes(css.controls, isCovered && css.covered)} data-covers="right">
      <div className={css.group}>
        <IconButton icon="plus" label={t.map.zoomIn} onClick={() => map && zoomBy(map, 1)} />
        <IconButton icon="minus" label={t.map.zoomOut} onClick={() => map && zoomBy(map, -1)} />
      </div>
      <div className={css.group}>
        <IconButton icon="fit" label={t.map.fit} onClick={() => map && fitTo(map, boundsOf(devices.values()), true)} />
        {mayKnowPlace && <IconButton icon="target" label={t.map.here} onClick={here} />}
        <IconButton
          icon="fence"
          label={t.map.fences}
          isOn={showsFences}
          onClick={() => prefer({ showsFences: !showsFences })}
        />
        <Menu
          label={t.map.heat}
          opens="side"
          items={[undefined, ...HEAT_DAYS].map((days) => ({
            label: days === undefined ? t.map.noHeat : t.map.heatOf({ days }),
            isOn: days === heat,
            onPress: () => onHeat(days),
          }))}
          button={(props) => <IconButton icon="heat" label={t.map.heat} isOn={heat !== undefined} {...props} />}
        />
      </div>
    </div>
  );
}
