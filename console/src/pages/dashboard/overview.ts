import { type FleetDevice, type FleetState, stateOf } from '../../api/live/fleet-device.ts';

/** At or below this a battery wants to be charged, in percent. */
const LOW_PCT = 20;
/** More are in the list of devices. */
export const MOST_LISTED = 10;

type Seen = Pick<FleetDevice, 'id' | 'name' | 'lat' | 'lng' | 'lastHeardAt' | 'moving' | 'speedKmh' | 'batteryPct'>;

export interface Overview {
  readonly counts: Readonly<Record<FleetState, number>>;
  /** Longest first. Devices that were never heard come last. */
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
  const heard = ({ lastHeardAt }: Seen) => lastHeardAt ?? Number.MAX_SAFE_INTEGER;
  silent.sort((a, b) => heard(a) - heard(b));
  batteries.sort((a, b) => a.batteryPct! - b.batteryPct!);
  return { counts, silent, batteries };
}
