import type { Report } from '../../../reports.ts';
import { hasOwnTime } from '../report/normalize.ts';

/**
 * Whether the clock of the server is right. Receivers of satellite positions know the time; one device may be wrong, and
 * a report may come late, but where most devices agree on another time than the server's, it is the server that is wrong.
 */

const MINUTE_MS = 60_000;
/** Older observations do not count. By the monotonic clock, which is never set. */
const WINDOW_MS = 15 * MINUTE_MS;
/** Fewer prove nothing. */
const MIN_DEVICES = 3;
const MAX_DEVICES = 2000;
/** No device is ahead of a correct clock, but all may be behind it, because reports take time. */
const BEHIND_MS = MINUTE_MS;
const AHEAD_MS = 5 * MINUTE_MS;
/** At least this share of the devices is within this of the median; reports that are late differ more. */
const AGREEING = 2 / 3;
const AGREEMENT_MS = MINUTE_MS;
/** A wall clock that moves otherwise than the monotonic one by more than this was set. */
const SET_MS = 2000;
const ASSESS_MS = 1000;

/** Reports that are late catch up; by a wrong clock they stay equally old for longer than this. */
const STEADY_MS = 2 * MINUTE_MS;

interface Seen {
  readonly aheadMs: number;
  readonly at: number;
  /** Since when the device has been as far ahead or behind. */
  readonly since: number;
}

interface ClockDoubtOptions {
  /** Milliseconds that pass evenly, whatever happens to the clock. */
  readonly monotonic?: () => number;
}

export class ClockDoubt {
  readonly #monotonic: () => number;
  readonly #seen = new Map<number, Seen>();
  #wallOffset: number | undefined;
  #assessedAt = Number.NEGATIVE_INFINITY;
  #offsetMs: number | null = null;

  constructor({ monotonic = () => performance.now() }: ClockDoubtOptions = {}) {
    this.#monotonic = monotonic;
  }

  /** Looks at a report that has just come. */
  observe(deviceId: number, { points }: Pick<Report, 'points'>, now: number): void {
    const at = this.#monotonic();
    if (this.#wallOffset !== undefined && Math.abs(now - at - this.#wallOffset) > SET_MS) this.#forget();
    this.#wallOffset = now - at;
    let newest = Number.NEGATIVE_INFINITY;
    for (const point of points)
      if (point.location !== undefined && hasOwnTime(point) && point.timestamp! > newest) newest = point.timestamp!;
    if (newest === Number.NEGATIVE_INFINITY) return;
    const known = this.#seen.get(deviceId);
    const aheadMs = newest - now;
    // Of a backlog the freshest counts.
    if (known !== undefined && known.aheadMs > aheadMs && at - known.at < MINUTE_MS) return;
    this.#seen.delete(deviceId);
    const isSteady = known !== undefined && Math.abs(known.aheadMs - aheadMs) <= AGREEMENT_MS;
    this.#seen.set(deviceId, { aheadMs, at, since: isSteady ? known.since : at });
    if (this.#seen.size > MAX_DEVICES) this.#seen.delete(this.#seen.keys().next().value!);
  }

  /** By how much the server's clock is behind most devices, in milliseconds; negative where it is ahead; null without doubt. */
  offsetMs(): number | null {
    const at = this.#monotonic();
    if (at - this.#assessedAt < ASSESS_MS) return this.#offsetMs;
    this.#assessedAt = at;
    for (const [deviceId, seen] of this.#seen) if (at - seen.at > WINDOW_MS) this.#seen.delete(deviceId);
    const meaningful = [...this.#seen.values()].filter(
      ({ aheadMs, at: last, since }) => aheadMs >= -AHEAD_MS || last - since >= STEADY_MS,
    );
    this.#offsetMs = doubtOf(meaningful.map(({ aheadMs }) => aheadMs));
    return this.#offsetMs;
  }

  #forget(): void {
    this.#seen.clear();
    this.#assessedAt = Number.NEGATIVE_INFINITY;
  }
}

function doubtOf(ahead: number[]): number | null {
  if (ahead.length < MIN_DEVICES) return null;
  ahead.sort((a, b) => a - b);
  const median = ahead[Math.floor(ahead.length / 2)]!;
  if (median <= BEHIND_MS && median >= -AHEAD_MS) return null;
  const agreeing = ahead.filter((one) => Math.abs(one - median) <= AGREEMENT_MS).length;
  return agreeing >= ahead.length * AGREEING ? median : null;
}
