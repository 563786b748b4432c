import type { DeviceIcon } from '@trackway/contract/device-icons.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';

export type Whereabouts = AnswerOf<'listWhereabouts'>[number];

export interface FleetDevice {
  readonly id: number;
  name: string;
  color: string | null;
  type: string | null;
  icon: DeviceIcon | undefined;
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

/** What can be said of a device now. Every place that says it asks here, so that all of them say the same. */
export interface DeviceNow {
  readonly state: FleetState;
  /** Whether `moving` is what it did when it was last heard, some minutes ago. */
  readonly isPast: boolean;
  /** Only while it moves and has just said so: what is older is not its speed now. */
  readonly speedKmh: number | null;
  readonly course: number | null;
}

type Known = Pick<FleetDevice, 'lastHeardAt' | 'moving' | 'at' | 'speedKmh' | 'course'>;

const MINUTE_MS = 60_000;
/** A device that moves reports at least this often; after that its speed is a memory. */
const FRESH_MS = 3 * MINUTE_MS;
/** Slower than this is written as 0, in any unit. */
const STANDING_KMH = 0.85;

export function stateOf(
  { lastHeardAt, moving, speedKmh }: Pick<Known, 'lastHeardAt' | 'moving' | 'speedKmh'>,
  now: number,
  offlineAfterMin: number,
): FleetState {
  if (lastHeardAt === undefined || now - lastHeardAt > offlineAfterMin * MINUTE_MS) return 'offline';
  // A trip goes on while it waits at a light; what people see there is a vehicle that stands.
  return moving && (speedKmh === null || speedKmh >= STANDING_KMH) ? 'moving' : 'stopped';
}

export function nowOf(device: Known, now: number, offlineAfterMin: number): DeviceNow {
  const state = stateOf(device, now, offlineAfterMin);
  const isPast = state === 'moving' && now - device.at > FRESH_MS;
  const { speedKmh, course } = state === 'moving' && !isPast ? device : { speedKmh: null, course: null };
  return { state, isPast, speedKmh, course };
}

/** How much of its way a device has glided, 0 to 1. */
export const glided = (device: FleetDevice, clock: number) =>
  device.glideMs === 0 ? 1 : Math.min(1, (clock - device.glideFrom) / device.glideMs);
