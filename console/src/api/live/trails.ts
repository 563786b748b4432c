import { FLEET_TRAIL_MINUTES, FLEET_TRAIL_STEP_S, MOST_TRAILS } from '@trackway/contract/resources/whereabouts.ts';

/**
 * The recent positions of each device, from the stream. Earlier ones are read once, and only for devices with a visible
 * trail.
 */

export const TRAIL_MS = FLEET_TRAIL_MINUTES * 60_000;
const STEP_MS = FLEET_TRAIL_STEP_S * 1000;
/** One for each step, doubled for devices whose clock is ahead. */
const MOST_POINTS = 2 * (TRAIL_MS / STEP_MS);

export interface TrailPoint {
  /** Mercator, 0 to 1. */
  readonly x: number;
  readonly y: number;
  readonly at: number;
}

type Read = (deviceIds: readonly number[]) => Promise<readonly (TrailPoint & { readonly deviceId: number })[]>;

export class Trails {
  readonly #trails = new Map<number, TrailPoint[]>();
  readonly #asked = new Set<number>();
  readonly #read: Read;
  #isAsking = false;

  constructor(read: Read) {
    this.#read = read;
  }

  /** Its trail, oldest first. */
  of(deviceId: number): readonly TrailPoint[] {
    return this.#trails.get(deviceId) ?? [];
  }

  /**
   * Adds the current position of a device. Of several positions in a step the first is kept: the current one is drawn
   * anyway.
   */
  note(deviceId: number, point: TrailPoint): void {
    const trail = this.#trails.get(deviceId);
    if (trail === undefined) {
      this.#trails.set(deviceId, [point]);
      return;
    }
    const last = trail.at(-1)!;
    if (point.at - last.at < STEP_MS) return;
    trail.push(point);
    if (trail.length > MOST_POINTS || point.at - trail[0]!.at > TRAIL_MS) trail.shift();
  }

  /** Reads earlier positions of these devices once; `onRead` is called when they have arrived. */
  want(deviceIds: Iterable<number>, onRead: () => void): void {
    if (this.#isAsking) return;
    const missing: number[] = [];
    for (const id of deviceIds) {
      if (this.#asked.has(id)) continue;
      missing.push(id);
      if (missing.length === MOST_TRAILS) break;
    }
    if (missing.length === 0) return;
    this.#isAsking = true;
    for (const id of missing) this.#asked.add(id);
    void this.#readFor(missing).then(onRead, () => {
      // Trails are optional: the map is correct without them.
    });
  }

  async #readFor(deviceIds: readonly number[]): Promise<void> {
    try {
      const before = new Map<number, TrailPoint[]>();
      for (const { deviceId, x, y, at } of await this.#read(deviceIds)) {
        const trail = before.get(deviceId);
        if (trail === undefined) before.set(deviceId, [{ x, y, at }]);
        else trail.push({ x, y, at });
      }
      for (const [id, past] of before) {
        // A device that was removed meanwhile gets no trail.
        if (!this.#asked.has(id)) continue;
        const known = this.of(id);
        const first = known[0]?.at ?? Number.POSITIVE_INFINITY;
        this.#trails.set(id, [...past.filter(({ at }) => at < first), ...known].slice(-MOST_POINTS));
      }
    } finally {
      this.#isAsking = false;
    }
  }

  forget(deviceId: number): void {
    this.#trails.delete(deviceId);
    this.#asked.delete(deviceId);
  }

  clear(): void {
    this.#trails.clear();
    this.#asked.clear();
  }
}
