import type { AnswerOf } from '@trackway/contract/operations.ts';

export type Whereabouts = AnswerOf<'listWhereabouts'>[number];

export interface FleetDevice {
  readonly id: number;
  name: string;
  color: string | null;
  type: string | null;
  tags: readonly string[];
  right: Whereabouts['right'];
  /** Undefined while no position is known. */
  lat: number | undefined;
  lng: number | undefined;
  /** The same in Mercator, 0 to 1. */
  x: number;
  y: number;
  /** When it was there. */
  at: number;
  speedKmh: number | null;
  course: number | null;
  accuracyM: number | null;
  batteryPct: number | null;
  lastHeardAt: number | undefined;
  moving: boolean | null;
  /** Where it was seen when this position came, and how long it glides from there; both clocks are performance.now. */
  fromX: number;
  fromY: number;
  glideFrom: number;
  glideMs: number;
}

export type FleetState = 'moving' | 'stopped' | 'offline';

export function stateOf(device: FleetDevice, now: number, offlineAfterMin: number): FleetState {
  if (device.lastHeardAt === undefined || now - device.lastHeardAt > offlineAfterMin * 60_000) return 'offline';
  return device.moving ? 'moving' : 'stopped';
}

/** How much of its way a device has glided, 0 to 1. */
export const glided = (device: FleetDevice, clock: number) =>
  device.glideMs === 0 ? 1 : Math.min(1, (clock - device.glideFrom) / device.glideMs);
