import type { AlarmWord } from '../protocols/trackers/alarm-words.ts';
import type { RisingAlarms } from './report-of-records.ts';

interface Standing {
  on: readonly AlarmWord[];
  /** The newest record that told. */
  at: number;
  /** What was raised last, so that a record that is sent again says the same again. */
  raised: { readonly alarm: AlarmWord; readonly at: number }[];
}

const MOST_DEVICES = 50_000;
const REMEMBERED = 16;

/** Remembers which alarms of a device are on, across its connections: one that stays on is raised once. */
export class StandingAlarms implements RisingAlarms {
  readonly #devices = new Map<number, Standing>();
  readonly #most: number;

  constructor(most = MOST_DEVICES) {
    this.#most = most;
  }

  risen(deviceId: number, standing: readonly AlarmWord[], at: number): readonly AlarmWord[] {
    const known = this.#devices.get(deviceId);
    if (known === undefined) {
      // A device whose alarms are all off needs no memory.
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
