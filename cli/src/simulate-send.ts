import { setTimeout as sleep } from 'node:timers/promises';
import type { Transmission } from '@trackway/simulator/report.ts';

/** Sends as devices do: each one thing after the other, and again and again until it is acknowledged. */

export interface Tally {
  /** Transmissions put on the wire, repetitions not counted. */
  sent: number;
  acknowledged: number;
  /** Attempts that failed and were or will be repeated. */
  failed: number;
  /** Transmissions that the server will never take. */
  refused: number;
  /** Given up at the end. */
  abandoned: number;
  positions: number;
  /** As the server told. */
  duplicates: number;
  quarantined: number;
  lastError: string;
}

export interface Sending {
  readonly url: string;
  readonly devices: readonly { readonly key: string; renew?(): Promise<void> }[];
  readonly concurrency: number;
  /** Ends it: what is under way may finish, nothing is begun. */
  readonly signal: AbortSignal;
  readonly backOffMs?: readonly [first: number, most: number];
  /** How long an answer is waited for, and what is under way at the end. */
  readonly timeoutMs?: number;
  readonly graceMs?: number;
}

/** Taken from the simulator and not yet acknowledged, per request at a time: what a server that is away costs. */
const WAITING_PER_REQUEST = 16;

type Outcome = 'acknowledged' | 'refused' | 'again' | 'unknown key';

export class Deliveries {
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
  readonly #sending: Sending;
  /** The last thing each busy device has to send. */
  readonly #lanes = new Map<number, Promise<void>>();
  readonly #slots: Slots;
  readonly #room: Slots;
  /** Ends requests under way, some time after the signal. */
  readonly #cut = new AbortController();

  constructor(sending: Sending) {
    this.#sending = sending;
    this.#slots = new Slots(sending.concurrency);
    this.#room = new Slots(sending.concurrency * WAITING_PER_REQUEST);
  }

  /** Ends when all is acknowledged or refused, or soon after the signal. */
  async sendAll(due: Iterable<{ readonly transmission: Transmission; readonly at: number }>): Promise<void> {
    const { signal, graceMs = 5000 } = this.#sending;
    const end = () => {
      this.#room.open();
      setTimeout(() => this.#cut.abort(), graceMs).unref();
    };
    signal.addEventListener('abort', end, { once: true });
    for (const { transmission, at } of due) {
      await pause(at - Date.now(), signal);
      await this.#room.take();
      if (signal.aborted) break;
      this.#enqueue(transmission);
    }
    await Promise.all(this.#lanes.values());
    signal.removeEventListener('abort', end);
  }

  #enqueue(transmission: Transmission): void {
    const { device } = transmission;
    const before = this.#lanes.get(device) ?? Promise.resolve();
    const lane = before
      .then(() => this.#send(transmission))
      .finally(() => {
        this.#room.give();
        if (this.#lanes.get(device) === lane) this.#lanes.delete(device);
      });
    this.#lanes.set(device, lane);
  }

  async #send(transmission: Transmission): Promise<void> {
    const { tally } = this;
    const { signal, backOffMs: [first, most] = [500, 30_000] } = this.#sending;
    const { points, readings } = transmission;
    const body = JSON.stringify({ points, readings });
    if (!signal.aborted) tally.sent++;
    let isRenewed = false;
    for (let waitMs = first; !signal.aborted; waitMs = Math.min(most, waitMs * 2)) {
      const { outcome, retryMs } = await this.#attempt(transmission.device, body);
      if (outcome === 'acknowledged') {
        tally.acknowledged++;
        tally.positions += points.length;
        return;
      }
      if (outcome === 'unknown key' && !isRenewed && (await this.#renewed(transmission.device))) {
        isRenewed = true;
        continue;
      }
      if (outcome !== 'again') {
        tally.refused++;
        return;
      }
      tally.failed++;
      // Spread, so that a fleet does not come back as one.
      await pause(retryMs ?? waitMs * (0.75 + Math.random() / 2), signal);
    }
    tally.abandoned++;
  }

  async #attempt(device: number, body: string): Promise<{ outcome: Outcome; retryMs?: number }> {
    const { url, devices, timeoutMs = 30_000 } = this.#sending;
    await this.#slots.take();
    try {
      const response = await fetch(`${url}/ingest/reports`, {
        method: 'POST',
        headers: { authorization: devices[device]!.key, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.any([this.#cut.signal, AbortSignal.timeout(timeoutMs)]),
      });
      const text = await response.text();
      if (response.ok) this.#count(text);
      else this.tally.lastError = `${response.status} ${text.slice(0, 200)}`;
      return { outcome: outcomeOf(response.status), retryMs: retryAfterMs(response) };
    } catch (error) {
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      this.tally.lastError = message || code || String(error);
      return { outcome: 'again' };
    } finally {
      this.#slots.give();
    }
  }

  async #renewed(device: number): Promise<boolean> {
    const { renew } = this.#sending.devices[device]!;
    try {
      await renew?.();
      return renew !== undefined;
    } catch (error) {
      this.tally.lastError = (error as Error).message;
      return false;
    }
  }

  #count(answer: string): void {
    try {
      const { duplicates, quarantined } = JSON.parse(answer);
      if (Number.isInteger(duplicates)) this.tally.duplicates += duplicates;
      if (Array.isArray(quarantined)) this.tally.quarantined += quarantined.length;
    } catch {
      // It is acknowledged all the same.
    }
  }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'acknowledged';
  if (status === 401) return 'unknown key';
  return status >= 500 || status === 408 || status === 429 ? 'again' : 'refused';
}

function retryAfterMs(response: Response): number | undefined {
  const header = response.headers.get('retry-after');
  return header !== null && /^\d{1,4}$/.test(header) ? Number(header) * 1000 : undefined;
}

/** Until the time has passed or the signal comes. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  // A timer can not be set for longer than 24 days.
  await sleep(Math.min(ms, 2 ** 31 - 1), undefined, { signal }).catch(() => {});
}

/** A number of places; who finds none waits in line. */
class Slots {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((taken) => this.#line.push(taken));
  }

  give(): void {
    const next = this.#line.shift();
    if (next) next();
    else this.#free++;
  }

  /** Places for everyone from now on. */
  open(): void {
    this.#free = Number.POSITIVE_INFINITY;
    for (const taken of this.#line.splice(0)) taken();
  }
}
