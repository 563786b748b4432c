import { setTimeout as pause } from 'node:timers/promises';

/** A device that goes on sending while it is evaluated waits this many times as long as the replay took. */
const PATIENCE = 4;
const LONGEST_MS = 5000;

/** So many devices are evaluated side by side: one with much to evaluate does not hold up all others. */
const AT_ONCE = 2;
/** After a slice, reports have at least as much time as it took; no slice should take longer than this. */
const LONGEST_SLICE_MS = 50;

/**
 * The devices that must be evaluated again, in turn. One that goes on sending while it is evaluated has to wait in between,
 * so that it does not delay other devices; one that has more to evaluate than goes into one slice has its next turn after
 * the others.
 */
export class ReplayQueue {
  /** False where more came meanwhile, so that there is still something to evaluate; `more` after a slice of it. */
  readonly #replay: (deviceId: number) => Promise<boolean | 'more'>;
  readonly #waiting = new Set<number>();
  readonly #paused = new Map<number, Promise<void>>();
  readonly #turns = new Map<number, PromiseWithResolvers<void>>();
  /** Devices that are being evaluated. */
  readonly #underWay = new Set<number>();
  readonly #running = new Set<Promise<void>>();
  /** Workers that will look for another device before they end. */
  #open = 0;
  readonly #stop = new AbortController();

  constructor(replay: (deviceId: number) => Promise<boolean | 'more'>) {
    this.#replay = replay;
  }

  add(deviceId: number): void {
    if (this.#stop.signal.aborted || this.#paused.has(deviceId)) return;
    this.#waiting.add(deviceId);
    if (this.#open >= AT_ONCE) return;
    this.#open++;
    const running = Promise.resolve()
      .then(() => this.#run())
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  get size(): number {
    return this.#waiting.size + this.#paused.size + this.#underWay.size;
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
      const pending = this.#running.values().next().value ?? this.#paused.values().next().value;
      if (pending === undefined) return;
      await pending;
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    for (let deviceId = this.#next(); deviceId !== undefined; deviceId = this.#next()) {
      this.#waiting.delete(deviceId);
      if (this.#stop.signal.aborted) break;
      this.#underWay.add(deviceId);
      const startedAt = performance.now();
      const outcome = await this.#replay(deviceId);
      const tookMs = performance.now() - startedAt;
      this.#underWay.delete(deviceId);
      if (outcome === 'more') this.#waiting.add(deviceId);
      else if (!outcome) this.#pause(deviceId, tookMs);
      this.#turns.get(deviceId)?.resolve();
      this.#turns.delete(deviceId);
      if (outcome === 'more') await this.#pauseWorker(tookMs);
    }
    // Nothing runs between finding nothing and this, so a device that is added from here on starts another worker.
    this.#open--;
    if (this.#open > 0) return;
    // Resolves callers that wait for a turn that will not come.
    for (const { resolve } of this.#turns.values()) resolve();
    this.#turns.clear();
  }

  /** A device is evaluated by one at a time: one that was added meanwhile waits until then. */
  #next(): number | undefined {
    for (const deviceId of this.#waiting) if (!this.#underWay.has(deviceId)) return deviceId;
    return undefined;
  }

  #pauseWorker(tookMs: number): Promise<void> {
    const { signal } = this.#stop;
    return pause(Math.min(LONGEST_SLICE_MS, tookMs), undefined, { signal, ref: false }).catch(() => {});
  }

  #pause(deviceId: number, tookMs: number): void {
    // Having sent more while it was evaluated, it asked for its next turn: that comes after the pause.
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
