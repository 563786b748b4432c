import type { DeviceState } from '../judge/device-state.ts';
import type { DeviceStateRow } from './device-state-row.ts';

interface Known {
  readonly writes: number;
  readonly newest: number;
  readonly state: DeviceState;
}

const MAX_DEVICES = 10_000;

/**
 * The states of devices as they were committed last by this process, so that they need not be read and parsed for every
 * report. Each writing of a line has a number: where the row bears another one, somebody else has written it since.
 */
export class StateCache {
  readonly #known = new Map<number, Known>();

  find(row: {
    readonly deviceId: number;
    readonly writes: number;
    readonly newest: number | null;
  }): DeviceState | undefined {
    const known = this.#known.get(row.deviceId);
    return known?.writes === row.writes && known.newest === row.newest ? known.state : undefined;
  }

  /** Only of what is committed: a number of a transaction that was undone is used again. */
  committed({ deviceId, writes, newest, state }: DeviceStateRow): void {
    if (this.#known.size >= MAX_DEVICES && !this.#known.has(deviceId)) this.#known.clear();
    this.#known.set(deviceId, { writes, newest, state });
  }
}
