import { setTimeout as pause } from 'node:timers/promises';

/** A device that goes on sending while it is judged waits this many times as long as the replay took. */
const PATIENCE = 4;
const LONGEST_MS = 5000;

/**
 * The devices that must be judged again, one after the other. One that goes on sending while it is judged has to wait in
 * between, so that it takes time from nobody but itself.
 */
export class ReplayQueue {
  /** False where more came meanwhile, so that there is still something to judge. */
  readonly #replay: (deviceId: number) => Promise<boolean>;
  readonly #waiting = new Set<number>();
  readonly #paused = new Map<number, Promise<void>>();
  readonly #turns = new Map<number, PromiseWithResolvers<void>>();
  #running: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(replay: (deviceId: number) => Promise<boolean>) {
    this.#replay = replay;
  }

  add(deviceId: number): void {
    if (this.#stop.signal.aborted || this.#paused.has(deviceId)) return;
    this.#waiting.add(deviceId);
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  /** Resolves once a device does not wait any more: it had its turn, if only to be paused. */
  async turnOf(deviceId: number): Promise<void> {
    if (!this.#waiting.has(deviceId)) return;
    const turn = this.#turns.get(deviceId) ?? Promise.withResolvers<void>();
    this.#turns.set(deviceId, turn);
    await turn.promise;
  }

  async idle(): Promise<void> {
    for (;;) {
      const pending = this.#running ?? this.#paused.values().next().value;
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
      if (!(await this.#replay(deviceId))) this.#pause(deviceId, performance.now() - startedAt);
      this.#turns.get(deviceId)?.resolve();
      this.#turns.delete(deviceId);
    }
    this.#running = undefined;
    // Whoever waits for a turn that will not come is let go.
    for (const { resolve } of this.#turns.values()) resolve();
    this.#turns.clear();
  }

  #pause(deviceId: number, tookMs: number): void {
    // Having sent more while it was judged, it asked for its next turn: that comes after the pause.
    this.#waiting.delete(deviceId);
    const { signal } = this.#stop;
    const paused = pause(Math.min(LONGEST_MS, tookMs * PATIENCE), undefined, { signal, ref: false })
      .catch(() => {})
      .then(() => {
        this.#paused.delete(deviceId);
        this.add(deviceId);
      });
    this.#paused.set(deviceId, paused);
  }
}
