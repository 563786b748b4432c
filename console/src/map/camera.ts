import type { Map as MapLibre } from 'maplibre-gl';
import type { FleetDevice } from '../api/live/fleet-device.ts';

export type Bounds = [[west: number, south: number], [east: number, north: number]];

export function boundsOf(devices: Iterable<FleetDevice>): Bounds | undefined {
  let bounds: Bounds | undefined;
  for (const { lat, lng } of devices) {
    if (lat === undefined || lng === undefined) continue;
    bounds ??= [
      [lng, lat],
      [lng, lat],
    ];
    bounds[0] = [Math.min(bounds[0][0], lng), Math.min(bounds[0][1], lat)];
    bounds[1] = [Math.max(bounds[1][0], lng), Math.max(bounds[1][1], lat)];
  }
  return bounds;
}

export function fitTo(map: MapLibre, bounds: Bounds | undefined, animate: boolean): void {
  if (!bounds) return;
  const isNarrow = map.getContainer().clientWidth < 700;
  const padding = isNarrow
    ? { top: 130, bottom: 60, left: 40, right: 60 }
    : { top: 110, bottom: 70, left: 70, right: 90 };
  map.fitBounds(bounds, { padding, maxZoom: 14.5, animate, duration: 700 });
}

export function lookAt(
  map: MapLibre,
  { lat, lng }: Pick<FleetDevice, 'lat' | 'lng'>,
  { zoom, animate }: { zoom: number; animate: boolean },
): void {
  if (lat === undefined || lng === undefined) return;
  const to = { center: [lng, lat] as [number, number], zoom };
  if (animate) map.flyTo({ ...to, duration: 900 });
  else map.jumpTo(to);
}
