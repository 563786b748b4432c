import type { Map as MapLibre } from 'maplibre-gl';
import type { LatLng } from '../../geo/place.ts';
import type { Box } from './draw-shape.ts';

/** A mounted map, for pages that control it. */
export type MapHandle = MapLibre;

const PADDING_PX = 56;
const CLOSEST = 16.5;

/** Fits a box into view. */
export function showBox(map: MapHandle, box: Box, { glides = true } = {}): void {
  const { clientWidth, clientHeight } = map.getContainer();
  const padding = Math.min(PADDING_PX, clientWidth / 6, clientHeight / 6);
  map.fitBounds(box, { padding, maxZoom: CLOSEST, duration: glides ? 500 : 0 });
}

export const middleOfMap = (map: MapHandle): LatLng => {
  const { lat, lng } = map.getCenter();
  return { lat, lng };
};

/** A radius that suits the current view: an eighth of the smaller side. */
export function fittingRadiusM(map: MapHandle): number {
  const { clientWidth, clientHeight } = map.getContainer();
  const reach = Math.min(clientWidth, clientHeight) / 8;
  const middle = map.project(map.getCenter());
  const metres = map.getCenter().distanceTo(map.unproject([middle.x + reach, middle.y]));
  const step = 10 ** Math.max(0, Math.floor(Math.log10(metres)) - 1) * 5;
  return Math.max(10, Math.round(metres / step) * step);
}
