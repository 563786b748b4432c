import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useRead } from '../../api/calls.ts';
import { useGeofences } from '../../api/geofences.ts';
import { devices, readFleet, useFleet } from '../../api/live/fleet.ts';
import { type FleetDevice, type FleetState, stateOf } from '../../api/live/fleet-device.ts';
import { ME, useGroups } from '../../api/many/groups.ts';
import { boundsOf, bringIntoSight, fitTo, lookAt, type View, watchView } from '../../map/camera.ts';
import { fenceLayer } from '../../map/fence-layer.ts';
import { deviceLayer } from '../../map/fleet/device-layer.ts';
import { StreetHint } from '../../map/ground/street-hint.tsx';
import type { MapLibre, MapPart } from '../../map/map-part.ts';
import { MapView } from '../../map/map-view.tsx';
import { useCovered } from '../../map/use-covered.ts';
import { prefer, preferences, usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { useTitle } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { DevicePanel } from './device-panel.tsx';
import { FleetCounts } from './fleet-counts.tsx';
import { MapControls } from './map-controls.tsx';
import css from './map-page.module.css';
import { MapSearch } from './map-search.tsx';
import { NoDevices } from './no-devices.tsx';
import { type HeatDays, useHeat } from './use-heat.ts';

/** The last view, restored when the viewer returns. */
let lastView: View | undefined;

export default function MapPage() {
  useTitle(t.map.title);
  const { loading, version } = useFleet();
  const [query, setQuery] = useSearchParams();
  const chosenId = Number(query.get('device')) || undefined;
  const groupId = Number(query.get('group')) || undefined;
  const { inGroup, groupName } = useGroupOnMap(groupId);
  const [isFollowing, setFollowing] = useState(false);
  const [only, setOnly] = useState<FleetState>();
  const [map, setMap] = useState<MapLibre>();
  const { showsFences, showsTrails = true } = usePreferences();
  const [heat, setHeat] = useState<HeatDays>();
  const heatPart = useHeat(map, heat, chosenId);
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
  const seen = useRef({ chosenId, isFollowing, only, inGroup, choose });
  seen.current = { chosenId, isFollowing, only, inGroup, choose };
  const fleetPart = useMemo(
    () =>
      deviceLayer({
        chosen: () => seen.current.chosenId,
        isFollowing: () => seen.current.isFollowing,
        onChoose: (id) => {
          pressedId.current = id === seen.current.chosenId ? undefined : id;
          seen.current.choose(id);
        },
        shows: (device) => isShown(device, seen.current.only) && seen.current.inGroup?.has(device.id) !== false,
      }),
    [],
  );
  const parts = useMemo<MapPart[]>(
    () => [
      ...(heatPart ? [heatPart] : []),
      ...(showsFences && fences.data ? [fenceLayer(fences.data)] : []),
      fleetPart,
    ],
    [showsFences, fences.data, fleetPart, heatPart],
  );

  const frame = useRef<HTMLDivElement>(null);
  const chosen = chosenId === undefined ? undefined : devices.get(chosenId);
  useCovered(map, frame, `${chosen?.id}/${loading}`);

  // The map moves once to a device in the address: immediately after a link from elsewhere, animated from this page.
  const lookedAt = useRef<number | 'all' | undefined>(lastView && chosenId === undefined ? 'all' : undefined);
  const pressedId = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: The fleet changes in place; its version changes with it.
  useEffect(() => {
    if (!map || loading !== 'ready' || devices.size === 0) return;
    const isFirst = lookedAt.current === undefined;
    if (chosen === undefined) {
      if (isFirst) fitTo(map, boundsOf(devices.values()), false);
      lookedAt.current = 'all';
    } else if (lookedAt.current !== chosen.id && (isFirst || chosen.lat !== undefined)) {
      if (chosen.lat === undefined) fitTo(map, boundsOf(devices.values()), false);
      else if (pressedId.current === chosen.id) bringIntoSight(map, chosen);
      else lookAt(map, chosen, !isFirst);
      lookedAt.current = chosen.id;
      pressedId.current = undefined;
    }
  }, [map, loading, chosen, version]);

  // A group is brought into sight once, when its devices are known.
  useEffect(() => {
    if (!map || loading !== 'ready' || !inGroup) return;
    lookedAt.current = 'all';
    fitTo(map, boundsOf([...devices.values()].filter(({ id }) => inGroup.has(id))), false);
  }, [map, loading, inGroup]);

  useEffect(() => {
    if (!map) return;
    return watchView(map, {
      onView: (view) => {
        lastView = view;
      },
      onDrag: () => setFollowing(false),
    });
  }, [map]);

  const goTo = (id: number) => {
    if (id !== chosenId) choose(id);
    else if (map && chosen) lookAt(map, chosen, true);
  };

  return (
    <div className={css.page} ref={frame}>
      <h1 className="unseen">{t.map.title}</h1>
      <MapView
        label={t.map.label}
        parts={parts}
        start={lastView}
        onMap={setMap}
        layers={[{ label: t.map.trails, isOn: showsTrails, onPress: () => prefer({ showsTrails: !showsTrails }) }]}
      >
        <div className={css.top} data-covers="top">
          <MapSearch map={map} onChoose={goTo} />
          {inGroup && (
            <Button
              size="small"
              icon="close"
              onClick={() => setQuery((now) => new URLSearchParams([...now].filter(([name]) => name !== 'group')))}
            >
              {t.map.onlyGroup({ name: groupName })}
            </Button>
          )}
          <FleetCounts only={only} onOnly={setOnly} inGroup={inGroup} />
        </div>
        <MapControls map={map} heat={heat} onHeat={setHeat} isCovered={chosen !== undefined} />
        {chosen && (
          <DevicePanel
            key={chosen.id}
            device={chosen}
            isFollowing={isFollowing}
            onFollow={(follows) => {
              setFollowing(follows);
              if (follows && map) lookAt(map, chosen, false);
            }}
            onCentre={() => map && lookAt(map, chosen, true)}
            onClose={() => choose(undefined)}
          />
        )}
        {loading === 'ready' && devices.size === 0 ? <NoDevices /> : !chosen && <StreetHint />}
        {loading === 'failed' && (
          <div className={css.failed}>
            <ErrorState error={new Error(t.map.failed)} onRetry={() => void readFleet()} />
          </div>
        )}
      </MapView>
    </div>
  );
}

/** The devices of a group and of the groups below it; undefined while all devices are shown. */
function useGroupOnMap(groupId: number | undefined) {
  const fk = groupId ?? 0;
  const members = useRead('listDeviceGroupDevices', { id: ME, fk }, { enabled: groupId !== undefined }).data;
  const groups = useGroups({ enabled: groupId !== undefined }).data;
  const inGroup = useMemo(() => members && new Set(members.deviceIds), [members]);
  return {
    inGroup: groupId === undefined ? undefined : inGroup,
    groupName: groups?.find(({ id }) => id === groupId)?.name ?? '',
  };
}

const isShown = (device: FleetDevice, only: FleetState | undefined) =>
  only === undefined || stateOf(device, Date.now(), preferences.get().offlineAfterMin) === only;
