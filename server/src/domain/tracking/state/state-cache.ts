import { RecentMap } from '../../../platform/recent-map.ts';
import type { DeviceState } from '../judge/device-state.ts';

interface Cached {
  /** Counts every write of the row. */
  readonly writes: number;
  readonly newest: number;
  readonly state: DeviceState;
}

const MAX_DEVICES = 10_000;

/**
 * The states of devices as they were committed last by this process, so that they need not be read and parsed for every
 * report. A row that has another number of writes was written by somebody else since.
 */
export class StateCache {
  readonly #states = new RecentMap<number, Cached>(MAX_DEVICES);

  find(row: {
    readonly deviceId: number;
    readonly writes: number;
    readonly newest: number | null;
  }): DeviceState | undefined {
    const cached = this.#states.get(row.deviceId);
    return cached?.writes === row.writes && cached.newest === row.newest ? cached.state : undefined;
  }

  /** Only after the commit: a transaction that was rolled back leaves its number of writes to the next one. */
  committed({ deviceId, writes, newest, state }: Cached & { readonly deviceId: number }): void {
    this.#states.set(deviceId, { writes, newest, state });
  }
}
