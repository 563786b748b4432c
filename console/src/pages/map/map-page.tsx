import type { Map as MapLibre } from 'maplibre-gl';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useGeofences } from '../../api/geofences.ts';
import { devices, readFleet, useFleet } from '../../api/live/fleet.ts';
import { type FleetDevice, type FleetState, stateOf } from '../../api/live/fleet-device.ts';
import { boundsOf, fitTo, lookAt } from '../../map/camera.ts';
import { fenceLayer } from '../../map/fence-layer.ts';
import { deviceLayer } from '../../map/fleet/device-layer.ts';
import { type MapPart, MapView } from '../../map/map-view.tsx';
import { preferences, usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { useTitle } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { DevicePanel } from './device-panel.tsx';
import { FleetCounts } from './fleet-counts.tsx';
import { MapControls } from './map-controls.tsx';
import css from './map-page.module.css';
import { MapSearch } from './map-search.tsx';
import { NoDevices } from './no-devices.tsx';

/** Where the map looked when it was left, so that coming back shows the same. */
let lastView: { center: [number, number]; zoom: number } | undefined;

const NARROW_PX = 700;
const PANEL_PX = 340;

export default function MapPage() {
  useTitle(t.map.title);
  const { loading, version } = useFleet();
  const [query, setQuery] = useSearchParams();
  const chosenId = Number(query.get('device')) || undefined;
  const [isFollowing, setFollowing] = useState(false);
  const [only, setOnly] = useState<FleetState>();
  const [map, setMap] = useState<MapLibre>();
  const { showsFences } = usePreferences();
  const fences = useGeofences({ limit: 2000 }, { enabled: showsFences });

  const choose = useCallback(
    (id: number | undefined) => {
      setFollowing(false);
      setQuery((now) => {
        const next = new URLSearchParams(now);
        if (id === undefined) next.delete('device');
        else next.set('device', String(id));
        return next;
      });
    },
    [setQuery],
  );

  // The layer looks at these frame by frame; they must not make it anew.
  const seen = useRef({ chosenId, isFollowing, only, choose });
  seen.current = { chosenId, isFollowing, only, choose };
  const fleetPart = useMemo(
    () =>
      deviceLayer({
        chosen: () => seen.current.chosenId,
        isFollowing: () => seen.current.isFollowing,
        onChoose: (id) => seen.current.choose(id),
        shows: (device) => isShown(device, seen.current.only),
      }),
    [],
  );
  const parts = useMemo<MapPart[]>(
    () => [...(showsFences && fences.data ? [fenceLayer(fences.data)] : []), fleetPart],
    [showsFences, fences.data, fleetPart],
  );

  const hasLooked = useRef(lastView !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: The fleet changes in place; its version tells that it did.
  useEffect(() => {
    if (!map || loading !== 'ready' || hasLooked.current || devices.size === 0) return;
    const one = chosenId === undefined ? undefined : devices.get(chosenId);
    hasLooked.current = true;
    if (one?.lat !== undefined) lookAt(map, one, { zoom: 15, animate: false });
    else fitTo(map, boundsOf(devices.values()), false);
  }, [map, loading, chosenId, version]);

  useEffect(() => {
    if (!map) return;
    const keep = () => {
      const { lng, lat } = map.getCenter();
      lastView = { center: [lng, lat], zoom: map.getZoom() };
    };
    const letGo = () => setFollowing(false);
    map.on('moveend', keep);
    map.on('dragstart', letGo);
    return () => {
      map.off('moveend', keep);
      map.off('dragstart', letGo);
    };
  }, [map]);

  // On a phone the panel takes the lower half: what is looked at belongs above it.
  const hasPanel = chosenId !== undefined && devices.has(chosenId);
  useEffect(() => {
    if (!map) return;
    const isNarrow = map.getContainer().clientWidth < NARROW_PX;
    map.setPadding({ top: 0, left: 0, right: 0, bottom: hasPanel && isNarrow ? PANEL_PX : 0 });
  }, [map, hasPanel]);

  const goTo = (id: number) => {
    choose(id);
    const device = devices.get(id);
    if (map && device?.lat !== undefined) lookAt(map, device, { zoom: Math.max(map.getZoom(), 14.5), animate: true });
  };
  const chosen = chosenId === undefined ? undefined : devices.get(chosenId);

  return (
    <div className={css.page}>
      <h1 className="unseen">{t.map.title}</h1>
      <MapView label={t.map.label} parts={parts} start={lastView} onMap={setMap}>
        <div className={css.top}>
          <MapSearch onChoose={goTo} />
          <FleetCounts only={only} onOnly={setOnly} />
        </div>
        <MapControls map={map} />
        {chosen && (
          <DevicePanel
            key={chosen.id}
            device={chosen}
            isFollowing={isFollowing}
            onFollow={(follows) => {
              setFollowing(follows);
              if (follows && map && chosen.lat !== undefined)
                lookAt(map, chosen, { zoom: Math.max(map.getZoom(), 14.5), animate: false });
            }}
            onCentre={() => map && lookAt(map, chosen, { zoom: Math.max(map.getZoom(), 14.5), animate: true })}
            onClose={() => choose(undefined)}
          />
        )}
        {loading === 'ready' && devices.size === 0 && <NoDevices />}
        {loading === 'failed' && (
          <div className={css.failed}>
            <ErrorState error={new Error(t.map.failed)} onRetry={() => void readFleet()} />
          </div>
        )}
      </MapView>
    </div>
  );
}

const isShown = (device: FleetDevice, only: FleetState | undefined) =>
  only === undefined || stateOf(device, Date.now(), preferences.get().offlineAfterMin) === only;
