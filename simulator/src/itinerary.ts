import type { Drive } from './drive.ts';
import type { Spot } from './ground.ts';

/** The plan of a mover for a day, and its activity: a stay at an address, or a leg between two addresses. */

/**
 * The plan of a mover for one day. A day starts and ends at home at four in the morning, so the plan of any day does not
 * depend on the days before. It is small, since there is one per device.
 */
export interface DayPlan {
  readonly day: number;
  /** Departure and arrival of each leg, epoch ms. */
  readonly departAt: readonly number[];
  readonly arriveAt: readonly number[];
  /** The addresses in order, with home first and last: one more than there are legs. */
  readonly stops: readonly number[];
  /** The mover's speed of this day, as a share of the speed of the drive. */
  readonly tempo: number;
}

export interface Stay {
  readonly kind: 'stay';
  /** Epoch ms. A stay across the end of a day is split in two. */
  readonly from: number;
  readonly until: number;
  readonly address: number;
  readonly spot: Spot;
}

export interface Leg {
  readonly kind: 'leg';
  readonly from: number;
  readonly until: number;
  /** From the parking spot to the street, along the streets from `streetFrom` to `streetUntil`, and to the next spot. */
  readonly streetFrom: number;
  readonly streetUntil: number;
  readonly start: Spot;
  readonly end: Spot;
  readonly drive: Drive;
  /** The mover's speed as a share of the speed of the drive. */
  readonly tempo: number;
}

/** A cache of the last results. Devices ask in order of time, so most lookups are about the same activity. */
export interface Whereabouts {
  plan?: DayPlan;
  activity?: Stay | Leg;
}
