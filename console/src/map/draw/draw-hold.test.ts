import assert from 'node:assert/strict';
import test from 'node:test';
import type { Map as MapLibre } from 'maplibre-gl';
import { createBoard, type Tool } from './draw-board.ts';
import { removingByTouch } from './draw-hold.ts';
import type { FenceShape } from './draw-shape.ts';

const CORNERS = [
  { lng: 0, lat: 0 },
  { lng: 100, lat: 0 },
  { lng: 100, lat: 100 },
  { lng: 0, lat: 100 },
];

/** A map whose pixels are its degrees. */
function touched(tool: Tool = 'edit', outline = CORNERS) {
  const handlers = new Map<string, (event: unknown) => void>();
  const pointAt = (x: number, y: number) => ({
    ...{ x, y },
    dist: (other: { x: number; y: number }) => Math.hypot(other.x - x, other.y - y),
  });
  const map = {
    on: (name: string, handler: (event: unknown) => void) => handlers.set(name, handler),
    off: (name: string) => handlers.delete(name),
    project: ({ lng, lat }: { lng: number; lat: number }) => pointAt(lng, lat),
  };
  const board = createBoard(tool, { kind: 'polygon', outline } as FenceShape, 'red');
  const holding = removingByTouch(map as unknown as MapLibre, board);
  return {
    touch(name: string, x: number, y: number, fingers = 1) {
      const point = pointAt(x, y);
      handlers.get(name)?.({ point, points: Array(fingers).fill(point) });
    },
    end: () => holding.remove(),
    corners: () => (board.get().shape as { outline: readonly unknown[] }).outline,
  };
}

test('a long press near a corner of a polygon removes this corner', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { touch, corners } = touched();
  touch('touchstart', 95, 105);
  // A finger is never quite still.
  touch('touchmove', 97, 104);
  context.mock.timers.tick(500);
  assert.deepEqual(corners(), CORNERS, 'not yet');
  context.mock.timers.tick(200);
  assert.deepEqual(corners(), [CORNERS[0], CORNERS[1], CORNERS[3]]);
});

test('other touches remove nothing', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const cases: Record<string, () => ReturnType<typeof touched>> = {
    'a short press': () => {
      const map = touched();
      map.touch('touchstart', 100, 100);
      map.touch('touchend', 100, 100);
      return map;
    },
    'a drag of the corner': () => {
      const map = touched();
      map.touch('touchstart', 100, 100);
      map.touch('touchmove', 120, 100);
      return map;
    },
    'two fingers': () => {
      const map = touched();
      map.touch('touchstart', 100, 100);
      map.touch('touchstart', 100, 100, 2);
      return map;
    },
    'between the corners': () => {
      const map = touched();
      map.touch('touchstart', 50, 50);
      return map;
    },
    'while drawing': () => {
      const map = touched('polygon');
      map.touch('touchstart', 100, 100);
      return map;
    },
    'of a triangle': () => {
      const map = touched('edit', CORNERS.slice(0, 3));
      map.touch('touchstart', 100, 100);
      return map;
    },
    'after the end of drawing': () => {
      const map = touched();
      map.touch('touchstart', 100, 100);
      map.end();
      return map;
    },
  };
  for (const [name, act] of Object.entries(cases)) {
    const map = act();
    const before = map.corners();
    context.mock.timers.tick(1000);
    assert.deepEqual(map.corners(), before, name);
  }
});
