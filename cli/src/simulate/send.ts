import { setTimeout as sleep } from 'node:timers/promises';
import type { Transmission } from '@trackway/simulator/report.ts';

/** Sends like devices: one transmission after the other, each repeated until it is acknowledged. */

export interface Tally {
  /** Transmissions sent, not counting repetitions. */
  sent: number;
  acknowledged: number;
  /** Failed attempts that were or will be repeated. */
  failed: number;
  /** Transmissions that the server rejected permanently. */
  refused: number;
  /** Transmissions not acknowledged at the end. */
  abandoned: number;
  positions: number;
  /** As reported by the server. */
  duplicates: number;
  quarantined: number;
  lastError: string;
}

/** Transports the transmissions of devices to the server. */
export interface Road {
  send(transmission: Transmission, tally: Tally, signal: AbortSignal): Promise<Attempt>;
  /** Renews the credentials of the device. */
  renew?(device: number): Promise<boolean>;
  close?(): void;
}

export interface Attempt {
  readonly outcome: 'acknowledged' | 'refused' | 'again' | 'unknown key';
  /** When to repeat it, according to the server. */
  readonly retryMs?: number;
}

export interface SenderOptions {
  readonly road: Road;
  readonly concurrency: number;
  /** Stops the sender: requests in progress may finish, no new ones are started. */
  readonly signal: AbortSignal;
  readonly backOffMs?: readonly [first: number, max: number];
  /** How long requests in progress may continue after the signal. */
  readonly graceMs?: number;
}

/** Transmissions held in memory per concurrent request. It bounds the memory used while the server is down. */
const BUFFERED_PER_REQUEST = 16;

export class ReportSender {
  readonly tally: Tally = {
    sent: 0,
    acknowledged: 0,
    failed: 0,
    refused: 0,
    abandoned: 0,
    positions: 0,
    duplicates: 0,
    quarantined: 0,
    lastError: '',
  };
  readonly #options: SenderOptions;
  /** The last pending transmission of each device, which the next one of that device waits for. */
  readonly #pending = new Map<number, Promise<void>>();
  readonly #requests: Permits;
  readonly #buffer: Permits;
  /** Aborts requests in progress, some time after the signal. */
  readonly #cutOff = new AbortController();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#requests = new Permits(options.concurrency);
    this.#buffer = new Permits(options.concurrency * BUFFERED_PER_REQUEST);
  }

  /** Resolves when all transmissions are acknowledged or rejected, or soon after the signal. */
  async sendAll(due: Iterable<{ readonly transmission: Transmission; readonly at: number }>): Promise<void> {
    const { signal, graceMs = 5000 } = this.#options;
    const end = () => {
      this.#buffer.open();
      setTimeout(() => this.#cutOff.abort(), graceMs).unref();
    };
    signal.addEventListener('abort', end, { once: true });
    for (const { transmission, at } of due) {
      await pause(at - Date.now(), signal);
      await this.#buffer.take();
      if (signal.aborted) break;
      this.#enqueue(transmission);
    }
    await Promise.all(this.#pending.values());
    signal.removeEventListener('abort', end);
  }

  #enqueue(transmission: Transmission): void {
    const { device } = transmission;
    const before = this.#pending.get(device) ?? Promise.resolve();
    const sent = before
      .then(() => this.#send(transmission))
      .finally(() => {
        this.#buffer.give();
        if (this.#pending.get(device) === sent) this.#pending.delete(device);
      });
    this.#pending.set(device, sent);
  }

  async #send(transmission: Transmission): Promise<void> {
    const { tally } = this;
    const { road, signal, backOffMs: [first, max] = [500, 30_000] } = this.#options;
    const { points } = transmission;
    if (!signal.aborted) tally.sent++;
    let isRenewed = false;
    for (let waitMs = first; !signal.aborted; waitMs = Math.min(max, waitMs * 2)) {
      const { outcome, retryMs } = await this.#attempt(transmission);
      if (outcome === 'acknowledged') {
        tally.acknowledged++;
        tally.positions += points.length;
        return;
      }
      if (outcome === 'unknown key' && !isRenewed && (await road.renew?.(transmission.device))) {
        isRenewed = true;
        continue;
      }
      if (outcome !== 'again') {
        tally.refused++;
        return;
      }
      tally.failed++;
      // With jitter, so that the devices of a fleet do not all retry at the same time.
      await pause(retryMs ?? waitMs * (0.75 + Math.random() / 2), signal);
    }
    tally.abandoned++;
  }

  async #attempt(transmission: Transmission): Promise<Attempt> {
    await this.#requests.take();
    try {
      return await this.#options.road.send(transmission, this.tally, this.#cutOff.signal);
    } catch (error) {
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      this.tally.lastError = message || code || String(error);
      return { outcome: 'again' };
    } finally {
      this.#requests.give();
    }
  }
}

/** Waits for a time, or until the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  // The longest possible timer is about 24 days.
  await sleep(Math.min(ms, 2 ** 31 - 1), undefined, { signal }).catch(() => {});
}

/** A counting semaphore. */
class Permits {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((taken) => this.#waiting.push(taken));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }

  /** Removes the limit and releases all waiting callers. */
  open(): void {
    this.#free = Number.POSITIVE_INFINITY;
    for (const taken of this.#waiting.splice(0)) taken();
  }
}
