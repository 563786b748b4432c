import { setTimeout as pause } from 'node:timers/promises';

/** An attempt that was overtaken by new data is made again after so many times as long as it took, and more each time. */
const PATIENCE = 4;
const LONGEST_MS = 5000;

/**
 * The devices that must be judged again, one after the other. One that goes on sending while it is judged has to wait,
 * longer each time, so that it takes time from nobody but itself.
 */
export class Replays {
  /** False where new data came in between, so that it must be done once more. */
  readonly #replay: (deviceId: number) => Promise<boolean>;
  readonly #waiting = new Set<number>();
  readonly #overtaken = new Map<number, { readonly times: number; readonly pause?: Promise<void> }>();
  #running: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(replay: (deviceId: number) => Promise<boolean>) {
    this.#replay = replay;
  }

  add(deviceId: number): void {
    if (this.#stop.signal.aborted || this.#overtaken.get(deviceId)?.pause) return;
    this.#waiting.add(deviceId);
    this.#running ??= this.#run();
  }

  async idle(): Promise<void> {
    for (;;) {
      const pending = this.#running ?? [...this.#overtaken.values()].find((each) => each.pause)?.pause;
      if (pending === undefined) return;
      await pending;
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (const deviceId of this.#waiting) {
      this.#waiting.delete(deviceId);
      if (this.#stop.signal.aborted) break;
      const startedAt = performance.now();
      if (await this.#replay(deviceId)) this.#overtaken.delete(deviceId);
      else this.#postpone(deviceId, performance.now() - startedAt);
    }
    this.#running = undefined;
  }

  #postpone(deviceId: number, tookMs: number): void {
    const times = (this.#overtaken.get(deviceId)?.times ?? 0) + 1;
    const { signal } = this.#stop;
    const paused = pause(Math.min(LONGEST_MS, tookMs * PATIENCE * times), undefined, { signal, ref: false })
      .then(() => {
        this.#overtaken.set(deviceId, { times });
        this.add(deviceId);
      })
      .catch(() => {});
    this.#overtaken.set(deviceId, { times, pause: paused });
  }
}
