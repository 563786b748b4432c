import { type ReactNode, useMemo } from 'react';
import { useMaps } from '../api/maps.ts';
import { useServerInfo } from '../api/server-info.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { DrawnMap, type MapProps } from './drawn-map.tsx';
import { groundsOf } from './ground/grounds.ts';
import { LayerSwitch } from './ground/layer-switch.tsx';

/** A map on the background of this server, or the one that the viewer selected. */
export function MapView({
  layers,
  ...props
}: MapProps & {
  /** Additional entries of its layer menu. */
  layers?: readonly MenuItem[];
  /** Shown above the map. */
  children?: ReactNode;
}) {
  const { maps, isKnown } = useMaps();
  const overlay = useServerInfo().data?.mapOverlay;
  const grounds = useMemo(() => groundsOf(maps), [maps]);
  return (
    <DrawnMap
      {...props}
      background={{ maps, isKnown, ...(overlay && { overlay }) }}
      menu={(shown, hasSatellite) => (
        <LayerSwitch {...(layers && { more: layers })} grounds={grounds} shown={shown} hasSatellite={hasSatellite} />
      )}
    />
  );
}
