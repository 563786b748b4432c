import type { Map as MapLibre, MapTouchEvent, Point } from 'maplibre-gl';
import type { DrawBoard } from './draw-board.ts';
import { corridorOf, type FenceShape } from './draw-shape.ts';

const HOLD_MS = 600;
const REACH_PX = 24;
const STILL_PX = 8;

/** On a touch screen, a long press removes a vertex, as a right click does. */
export function removingByTouch(map: MapLibre, board: DrawBoard): { remove: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let from: Point | undefined;
  const end = () => clearTimeout(timer);
  const start = ({ point, points }: MapTouchEvent) => {
    end();
    if (points.length > 1 || board.get().tool !== 'edit') return;
    from = point;
    timer = setTimeout(() => {
      const { shape } = board.get();
      const next = shape && withoutVertex(map, shape, point);
      if (next) board.set((now) => ({ ...now, shape: next, draft: undefined }));
    }, HOLD_MS);
  };
  const move = ({ point }: MapTouchEvent) => {
    if (from && point.dist(from) > STILL_PX) end();
  };
  map.on('touchstart', start);
  map.on('touchmove', move);
  map.on('touchend', end);
  map.on('touchcancel', end);
  return {
    remove() {
      end();
      map.off('touchstart', start);
      map.off('touchmove', move);
      map.off('touchend', end);
      map.off('touchcancel', end);
    },
  };
}

/** The shape without its vertex at a point of the map; undefined if there is none, or it needs all of them. */
function withoutVertex(map: MapLibre, shape: FenceShape, point: Point): FenceShape | undefined {
  if (shape.kind === 'circle') return undefined;
  const places = shape.kind === 'polygon' ? shape.outline : shape.path;
  const distances = places.map((place) => map.project(place).dist(point));
  const nearestPx = Math.min(...distances);
  if (nearestPx > REACH_PX || places.length <= (shape.kind === 'polygon' ? 3 : 2)) return undefined;
  const rest = places.filter((_, index) => index !== distances.indexOf(nearestPx));
  return shape.kind === 'polygon' ? { kind: 'polygon', outline: rest } : corridorOf(rest, shape.widthM);
}
