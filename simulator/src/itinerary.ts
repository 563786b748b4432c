import type { Drive } from './drive.ts';
import type { Spot } from './ground.ts';

/** What a mover does in a day, and at a moment: it stays at an address, or drives between two. */

/**
 * What a mover does on one of its days, which begins at four in the morning and at home, and ends there: so any day can
 * be known without those before it. Kept small, since there is one per device.
 */
export interface DayPlan {
  readonly day: number;
  /** Of each leg, epoch ms. */
  readonly departAt: readonly number[];
  readonly arriveAt: readonly number[];
  /** The addresses in order, home first and last: one more than legs. */
  readonly stops: readonly number[];
  /** Share of the speed the drive allows that this mover takes today. */
  readonly tempo: number;
}

export interface Stay {
  readonly kind: 'stay';
  /** Epoch ms; a stay over the end of a day is cut there in two. */
  readonly from: number;
  readonly until: number;
  readonly address: number;
  readonly spot: Spot;
}

export interface Leg {
  readonly kind: 'leg';
  readonly from: number;
  readonly until: number;
  /** Out of the parking spot, along the streets from `streetFrom` to `streetUntil`, into the next one. */
  readonly streetFrom: number;
  readonly streetUntil: number;
  readonly start: Spot;
  readonly end: Spot;
  readonly drive: Drive;
  /** Share of the speed of the drive. */
  readonly tempo: number;
}

/** The last answers. Devices ask in order of time, so nearly all questions are about the same doing. */
export interface Whereabouts {
  plan?: DayPlan;
  doing?: Stay | Leg;
}
