import type { MapLibre } from './map-part.ts';

/** The view of a map, and its animation. */

export interface View {
  readonly center: [lng: number, lat: number];
  readonly zoom: number;
}

export type Bounds = [[west: number, south: number], [east: number, north: number]];

interface MaybePlaced {
  readonly lat: number | undefined;
  readonly lng: number | undefined;
}

/** How much of a map is covered by other elements, in pixels from each side. */
export interface Covered {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** Margins around the content, inside the uncovered part: below a mark are its name, the scale and the sources. */
const MARGINS_PX = { top: 36, right: 36, bottom: 64, left: 36 };
/** Minimum size of the uncovered part. */
const LEAST_FREE_PX = 124;
const NEAR_ZOOM = 15;
const FIT_ZOOM = 14.5;
const FLIGHT_MS = 900;

export function boundsOf(places: Iterable<MaybePlaced>): Bounds | undefined {
  let bounds: Bounds | undefined;
  for (const { lat, lng } of places) {
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
  if (bounds) map.fitBounds(bounds, { padding: MARGINS_PX, maxZoom: FIT_ZOOM, animate, duration: FLIGHT_MS });
}

/** Moves to a place, close enough to see the surrounding streets. */
export function lookAt(map: MapLibre, { lat, lng }: MaybePlaced, animate: boolean): void {
  if (lat === undefined || lng === undefined) return;
  const to = { center: [lng, lat] as [number, number], zoom: Math.max(map.getZoom(), NEAR_ZOOM) };
  if (animate) map.flyTo({ ...to, duration: FLIGHT_MS });
  else map.jumpTo(to);
}

/** Moves the map only if the place is out of view or covered. */
export function bringIntoSight(map: MapLibre, { lat, lng }: MaybePlaced): void {
  if (lat === undefined || lng === undefined) return;
  const { x, y } = map.project([lng, lat]);
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const { top = 0, right = 0, bottom = 0, left = 0 } = map.getPadding();
  const isFree = x > left && x < width - right && y > top && y < height - bottom;
  if (!isFree) map.easeTo({ center: [lng, lat], duration: FLIGHT_MS });
}

/** Sets the uncovered part that the camera centres on. The current view does not move. */
export function coverSides(map: MapLibre, covered: Covered): void {
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const [left, right] = shrunk(covered.left, covered.right, width);
  const [top, bottom] = shrunk(covered.top, covered.bottom, height);
  const now = map.getPadding();
  if (now.top === top && now.right === right && now.bottom === bottom && now.left === left) return;
  const center = map.unproject([(left + width - right) / 2, (top + height - bottom) / 2]);
  map.jumpTo({ center, padding: { top, right, bottom, left } });
}

function shrunk(start: number, end: number, length: number): [number, number] {
  const most = Math.max(0, length - LEAST_FREE_PX);
  const factor = start + end > most ? most / (start + end) : 1;
  return [Math.round(start * factor), Math.round(end * factor)];
}

export const zoomBy = (map: MapLibre, steps: 1 | -1) => (steps > 0 ? map.zoomIn() : map.zoomOut());

/** Reports the view after each move, and when the user drags it, until the returned function is called. */
export function watchView(map: MapLibre, reported: { onView(view: View): void; onDrag(): void }): () => void {
  const moved = () => {
    // The centre of the whole map including covered parts: a map that opens there shows the same.
    const { clientWidth, clientHeight } = map.getContainer();
    const { lng, lat } = map.unproject([clientWidth / 2, clientHeight / 2]);
    reported.onView({ center: [lng, lat], zoom: map.getZoom() });
  };
  const { onDrag } = reported;
  map.on('moveend', moved);
  map.on('dragstart', onDrag);
  return () => {
    map.off('moveend', moved);
    map.off('dragstart', onDrag);
  };
}
