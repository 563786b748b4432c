import type { DeviceIcon } from '@trackway/contract/device-icons.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';

export type Whereabouts = AnswerOf<'listWhereabouts'>[number];

export interface FleetDevice {
  readonly id: number;
  name: string;
  plate: string | null;
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
  /** Time of the position. */
  at: number;
  speedKmh: number | null;
  course: number | null;
  accuracyM: number | null;
  batteryPct: number | null;
  lastSeenAt: number | undefined;
  moving: boolean | null;
  /**
   * Where it was drawn when this position arrived, and the duration of the animation; both clocks are performance.now.
   */
  fromX: number;
  fromY: number;
  glideFrom: number;
  glideMs: number;
}

export type FleetState = 'moving' | 'stopped' | 'offline';

/** The current state of a device. All places that show it use this function, so that they agree. */
export interface DeviceNow {
  readonly state: FleetState;
  /** Whether `moving` is its last known state, some minutes ago. */
  readonly isPast: boolean;
  /** Only while it is moving and has reported recently: an older speed is not the current one. */
  readonly speedKmh: number | null;
  readonly course: number | null;
}

type Known = Pick<FleetDevice, 'lastSeenAt' | 'moving' | 'at' | 'speedKmh' | 'course'>;

const MINUTE_MS = 60_000;
/** A moving device reports at least this often; an older speed is outdated. */
const FRESH_MS = 3 * MINUTE_MS;
/** Lower speeds are shown as 0, in any unit. */
const STANDING_KMH = 0.85;

export function stateOf(
  { lastSeenAt, moving, speedKmh }: Pick<Known, 'lastSeenAt' | 'moving' | 'speedKmh'>,
  now: number,
  offlineAfterMin: number,
): FleetState {
  if (lastSeenAt === undefined || now - lastSeenAt > offlineAfterMin * MINUTE_MS) return 'offline';
  // A trip continues at a red light, but people see a vehicle that stands still.
  return moving && (speedKmh === null || speedKmh >= STANDING_KMH) ? 'moving' : 'stopped';
}

export function nowOf(device: Known, now: number, offlineAfterMin: number): DeviceNow {
  const state = stateOf(device, now, offlineAfterMin);
  const isPast = state === 'moving' && now - device.at > FRESH_MS;
  const { speedKmh, course } = state === 'moving' && !isPast ? device : { speedKmh: null, course: null };
  return { state, isPast, speedKmh, course };
}

/** Progress of the animation, 0 to 1. */
export const glided = (device: FleetDevice, clock: number) =>
  device.glideMs === 0 ? 1 : Math.min(1, (clock - device.glideFrom) / device.glideMs);
