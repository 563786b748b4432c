import { type FleetDevice, type FleetState, stateOf } from '../../api/live/fleet-device.ts';

/** A battery at or below this percentage is low. */
const LOW_PCT = 20;
/** Further ones are in the list of devices. */
export const MOST_LISTED = 6;

type Seen = Pick<FleetDevice, 'id' | 'name' | 'lat' | 'lng' | 'lastSeenAt' | 'moving' | 'speedKmh' | 'batteryPct'>;

export interface Overview {
  readonly counts: Readonly<Record<FleetState, number>>;
  /** Longest first. Devices that have never reported come last. */
  readonly silent: readonly Seen[];
  /** Lowest first. */
  readonly batteries: readonly Seen[];
}

export function overviewOf(
  devices: readonly Seen[],
  {
    now,
    offlineAfterMin,
    only,
  }: { readonly now: number; readonly offlineAfterMin: number; readonly only: ReadonlySet<number> | undefined },
): Overview {
  const counts = { moving: 0, stopped: 0, offline: 0 };
  const silent: Seen[] = [];
  const batteries: Seen[] = [];
  for (const device of devices) {
    if (only !== undefined && !only.has(device.id)) continue;
    const state = stateOf(device, now, offlineAfterMin);
    counts[state]++;
    if (state === 'offline') silent.push(device);
    if (device.batteryPct !== null && device.batteryPct <= LOW_PCT) batteries.push(device);
  }
  const lastSeen = ({ lastSeenAt }: Seen) => lastSeenAt ?? Number.MAX_SAFE_INTEGER;
  silent.sort((a, b) => lastSeen(a) - lastSeen(b));
  batteries.sort((a, b) => a.batteryPct! - b.batteryPct!);
  return { counts, silent, batteries };
}

export type Person = Pick<
  FleetDevice,
  'id' | 'name' | 'icon' | 'lat' | 'lng' | 'at' | 'lastSeenAt' | 'moving' | 'speedKmh' | 'course'
>;

/** A household has few devices, and at least half of them are phones of people. */
const MOST_AT_HOME = 20;

/** The people of a household: phones with a name. None for a fleet, even if it has phones. */
export function peopleOf<Device extends Person>(devices: readonly Device[]): readonly Device[] {
  const people = devices.filter(({ id, name, icon }) => (icon === 'phone' || icon === 'person') && name !== `#${id}`);
  if (devices.length > MOST_AT_HOME || people.length * 2 < devices.length) return [];
  return people.sort((one, other) => one.name.localeCompare(other.name));
}
