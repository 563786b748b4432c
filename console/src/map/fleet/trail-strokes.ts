import type { FleetDevice } from '../../api/live/fleet-device.ts';
import { TRAIL_MS, type TrailPoint } from '../../api/live/trails.ts';

/** If more trails are visible, none is drawn, because they would be unreadable. */
export const MOST_TRAILS_DRAWN = 150;
/** Number of segments with different opacity, from the tail to the device. */
const PARTS = 3;
const WIDTH_PX = 3.5;
const STRONGEST = 0.6;

export interface TrailEnd {
  readonly device: FleetDevice;
  /** The drawn position of the device. */
  readonly x: number;
  readonly y: number;
}

/** The recent path of a device: a line that fades towards its tail. */
export function strokeTrail(
  context: CanvasRenderingContext2D,
  trail: readonly TrailPoint[],
  { device, x, y }: TrailEnd,
  color: string,
  onScreen: (x: number, y: number) => readonly [number, number],
): void {
  const since = device.at - TRAIL_MS;
  const way = trail.filter(({ at }) => at >= since && at < device.at).map((point) => onScreen(point.x, point.y));
  if (way.length === 0) return;
  way.push([x, y]);
  context.lineWidth = WIDTH_PX;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.strokeStyle = color;
  for (let part = 0; part < PARTS; part++) {
    const from = Math.floor((part * (way.length - 1)) / PARTS);
    const to = Math.floor(((part + 1) * (way.length - 1)) / PARTS);
    if (to === from) continue;
    context.globalAlpha = (STRONGEST * (part + 1)) / PARTS;
    context.beginPath();
    context.moveTo(...way[from]!);
    for (let index = from + 1; index <= to; index++) context.lineTo(...way[index]!);
    context.stroke();
  }
  context.globalAlpha = 1;
}
