import type { Actor } from './actor.ts';
import type { Profile } from './profile.ts';
import { hash, shareOf } from './random.ts';

/** A device and its carrier. It is immutable. `Reporter` has the changing state. */
export interface SimulatedDevice {
  /** Index in the fleet. */
  readonly index: number;
  readonly name: string;
  readonly seed: number;
  readonly actor: Actor;
  readonly profile: Profile;
  readonly intervalS: number;
  readonly sensor: 'none' | 'fridge' | 'outdoor';
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The GPS week number has ten bits, so old receivers fall back by 1 024 weeks. */
const ROLLOVER_MS = 1024 * 7 * DAY_MS;

/** The error of the device's clock: its time minus the true time, in ms. */
export function clockErrorMs({ seed, profile: { clock } }: SimulatedDevice, at: number): number {
  if (clock.yearsShare > 0) {
    const day = Math.floor(at / DAY_MS);
    const chance = shareOf(seed, day, 31);
    // One in three clocks restarts at 1970, the others have a GPS rollover.
    if (chance < clock.yearsShare / 3) return -day * DAY_MS;
    if (chance < clock.yearsShare) return -ROLLOVER_MS;
  }
  if (shareOf(seed, 32) >= clock.minutesShare) return 0;
  return Math.round((2 * shareOf(seed, 33) - 1) * clock.mostMin * 60) * 1000;
}

/** Hours between two charges, the lowest level in percent, and the hours of charging. */
interface Battery {
  readonly cycleH: number;
  readonly leastPct: number;
  readonly chargeH: number;
}
const BATTERIES: Readonly<Record<Actor['kind'], Battery>> = {
  vehicle: { cycleH: 24, leastPct: 88, chargeH: 8 },
  cyclist: { cycleH: 24, leastPct: 35, chargeH: 6 },
  walker: { cycleH: 24, leastPct: 18, chargeH: 7 },
  parked: { cycleH: 2400, leastPct: 6, chargeH: 10 },
};

/** The battery discharges and is charged in cycles, each device at its own hour. */
export function batteryAt({ seed, actor }: SimulatedDevice, at: number): { pct: number; isCharging: boolean } {
  const { cycleH, leastPct, chargeH } = BATTERIES[actor.kind];
  const into = (at / HOUR_MS + cycleH * ((seed & 1023) / 1024)) % cycleH;
  const lastsH = cycleH - chargeH;
  const isCharging = into >= lastsH;
  const used = isCharging ? 1 - (into - lastsH) / chargeH : into / lastsH;
  return { pct: Math.round(100 - (100 - leastPct) * used), isCharging };
}

/** Temperature in °C. It is colder at night, and a fridge warms up during unloading. */
export function temperatureAt(device: SimulatedDevice, at: number, isUnloading: boolean): number {
  const wobble = hash(device.seed, Math.floor(at / 60_000), 34) / 2 ** 32 - 0.5;
  if (device.sensor === 'fridge') return Math.round((4 + wobble + (isUnloading ? 3 : 0)) * 10) / 10;
  const hour = (at + device.actor.city.utcOffsetMs) / HOUR_MS;
  const day = shareOf(device.actor.city.seed, Math.floor(hour / 24), 35) * 8;
  return Math.round((11 + day + 6 * Math.sin(((hour - 9) / 12) * Math.PI) + wobble) * 10) / 10;
}
