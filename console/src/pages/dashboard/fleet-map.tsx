import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { devices, useFleet } from '../../api/live/fleet.ts';
import { useNow } from '../../format/use-format.ts';
import { boundsOf, fitTo } from '../../map/camera.ts';
import { deviceLayer } from '../../map/fleet/device-layer.ts';
import type { MapLibre } from '../../map/map-part.ts';
import { MapView } from '../../map/map-view.tsx';
import { t } from '../../texts/t.ts';

/** Where the devices are. Pressing one opens it on the large map. */
export default function FleetMap({
  only,
  follows = false,
}: {
  only: readonly number[] | undefined;
  /** Keeps all devices in sight as they move. */
  follows?: boolean;
}) {
  const [, navigate] = useLocation();
  const { loading } = useFleet();
  const [map, setMap] = useState<MapLibre>();
  const shown = useMemo(() => only && new Set(only), [only]);
  // The layer looks at it frame by frame; it must not make it anew.
  const seen = useRef({ shown, navigate });
  seen.current = { shown, navigate };
  const parts = useMemo(
    () => [
      deviceLayer({
        chosen: () => undefined,
        isFollowing: () => false,
        onChoose: (id) => id !== undefined && seen.current.navigate(`/?device=${id}`),
        shows: ({ id }) => seen.current.shown?.has(id) ?? true,
      }),
    ],
    [],
  );
  const minute = Math.floor(useNow() / 60_000);
  const again = follows ? minute : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: Fitted again each minute, where wished.
  useEffect(() => {
    if (!map || loading !== 'ready') return;
    fitTo(map, boundsOf([...devices.values()].filter(({ id }) => shown?.has(id) ?? true)), false);
  }, [map, loading, shown, again]);
  return <MapView label={t.map.label} parts={parts} onMap={setMap} />;
}
