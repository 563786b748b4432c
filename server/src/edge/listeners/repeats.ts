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
