import type { ImpossibleJourney } from '../../calls.ts';
import { distanceM } from '../../platform/sphere.ts';

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

const MOST_DEVICES = 50_000;
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
