import { devices } from '../../api/live/fleet.ts';
import { boundsOf, fitTo, lookAt, zoomBy } from '../../map/camera.ts';
import type { MapLibre } from '../../map/map-part.ts';
import { prefer, usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './map-controls.module.css';

const mayKnowPlace = 'geolocation' in navigator && window.isSecureContext;

export function MapControls({ map }: { map: MapLibre | undefined }) {
  const { showsFences } = usePreferences();
  const here = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => map && lookAt(map, { lat: coords.latitude, lng: coords.longitude }, true),
      () => toast({ text: t.map.hereRefused, tone: 'danger' }),
    );
  return (
    <div className={css.controls} data-covers="right">
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
      </div>
    </div>
  );
}
