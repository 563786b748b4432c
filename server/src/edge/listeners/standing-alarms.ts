import type { AlarmWord } from '../protocols/trackers/alarm-words.ts';
import type { RisingAlarms } from './report-of-records.ts';

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
export class StandingAlarms implements RisingAlarms {
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
