import type { ImpossibleJourney } from '../../calls.ts';
import { distanceM } from '../../platform/sphere.ts';
import type { AlarmWord } from '../protocols/trackers/alarm-words.ts';

const EVERY_MS = 30_000;
const MOST_SENDERS = 50_000;

/** Passes on changed values, and unchanged ones only occasionally. */
export class Repeats {
  /** By sender, least recently passed on first. */
  readonly #reported = new Map<string, { readonly said: string; readonly at: number }>();

  /** By the time of reception. Several values may have the same time, and a clock may be set back. */
  isNews(sender: string, said: string, now: number): boolean {
    const last = this.#reported.get(sender);
    return last === undefined || last.said !== said || now - last.at >= EVERY_MS || now < last.at;
  }

  /** By the sender's own time. Repetitions with the time of the last value and late values are passed on, too. */
  isNewsOf(time: number, sender: string, said: string): boolean {
    return time === this.#reported.get(sender)?.at || this.isNews(sender, said, time);
  }

  reported(sender: string, said: string, now: number): void {
    this.#reported.delete(sender);
    if (this.#reported.size >= MOST_SENDERS) this.#reported.delete(this.#reported.keys().next().value!);
    this.#reported.set(sender, { said, at: now });
  }

  /** The last value did not become durable: the next one is passed on. */
  forget(sender: string): void {
    this.#reported.delete(sender);
  }
}

interface Standing {
  on: readonly AlarmWord[];
  /** Time of the newest record with a status. */
  at: number;
  /** The last raised alarms, so that a repeated record yields the same result. */
  raised: { readonly alarm: AlarmWord; readonly at: number }[];
}

const MOST_DEVICES = 50_000;
const REMEMBERED = 16;

/** Remembers the active alarms of a device across its connections: an alarm that stays active is raised once. */
export class StandingAlarms {
  readonly #devices = new Map<number, Standing>();
  readonly #most: number;

  constructor(most = MOST_DEVICES) {
    this.#most = most;
  }

  risen(deviceId: number, standing: readonly AlarmWord[], at: number): readonly AlarmWord[] {
    const known = this.#devices.get(deviceId);
    if (known === undefined) {
      // A device without active alarms needs no memory.
      if (standing.length === 0) return standing;
      if (this.#devices.size >= this.#most) this.#devices.delete(this.#devices.keys().next().value!);
      this.#devices.set(deviceId, { on: standing, at, raised: standing.map((alarm) => ({ alarm, at })) });
      return standing;
    }
    const isNew = at > known.at;
    const risen = standing.filter(
      (alarm) =>
        (isNew && !known.on.includes(alarm)) || known.raised.some((one) => one.alarm === alarm && one.at === at),
    );
    if (!isNew) return risen;
    known.on = standing;
    known.at = at;
    if (risen.length > 0) known.raised = [...known.raised, ...risen.map((alarm) => ({ alarm, at }))].slice(-REMEMBERED);
    return risen;
  }
}

/** Positions of a device over one connection. */
interface Seen {
  line: object;
  address: string;
  lat: number;
  lng: number;
  /** Time of the device's clock. */
  at: number;
  lastDataAt: number;
  reportedAt: number;
}

/** Both connections must report within this time. */
const TOGETHER_MS = 600_000;
const LEAST_M = 20_000;
const MOST_KMH = 1200;
const NOTIFY_MS = 86_400_000;

/**
 * Detects two trackers with the same identity: over two connections it reports positions that are too distant from each
 * other to travel between.
 */
export class Clones {
  readonly #seen = new Map<number, Seen>();

  /** Undefined if nothing is wrong, or it was already reported today. */
  saw(
    deviceId: number,
    line: object,
    address: string,
    { lat, lng }: { readonly lat: number; readonly lng: number },
    at: number,
    now: number,
  ): ImpossibleJourney | undefined {
    const before = this.#seen.get(deviceId);
    if (before === undefined) {
      if (this.#seen.size >= MOST_DEVICES) this.#seen.delete(this.#seen.keys().next().value!);
      this.#seen.set(deviceId, { line, address, lat, lng, at, lastDataAt: now, reportedAt: 0 });
      return undefined;
    }
    const found = before.line === line ? undefined : journeyOf(deviceId, before, address, { lat, lng }, at, now);
    if (found !== undefined) before.reportedAt = now;
    Object.assign(before, { line, address, lat, lng, at, lastDataAt: now });
    return found;
  }
}

function journeyOf(
  deviceId: number,
  before: Seen,
  address: string,
  place: { readonly lat: number; readonly lng: number },
  at: number,
  now: number,
): ImpossibleJourney | undefined {
  if (now - before.lastDataAt > TOGETHER_MS || now - before.reportedAt < NOTIFY_MS) return undefined;
  const metres = distanceM(before, place);
  const seconds = Math.abs(at - before.at) / 1000;
  if (metres < LEAST_M || metres / 1000 <= (MOST_KMH * seconds) / 3600) return undefined;
  return {
    deviceId,
    addresses: [before.address, address],
    km: Math.round(metres / 1000),
    seconds: Math.round(seconds),
  };
}
