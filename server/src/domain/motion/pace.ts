import { distanceM } from '../../platform/sphere.ts';
import type { Located } from '../fix.ts';
import type { Rest } from './rest.ts';

/** What is less accurate says too little of how fast a device was. */
const ACCURATE_M = 50;
/** A faster one is more often an error of a position than a vehicle. */
const MOST_KMH = 350;

/**
 * How fast a device came here from where it was last thought to rest, by the way and the time between: for fixes whose
 * device tells no speed. The mean of that place stands for the middle of its time, so that the speed of a steady ride is
 * right however close its fixes are, and that of one after a long rest is too low rather than too high.
 */
export function paceKmh({ mean, since, until, bestM }: Rest, fix: Located): number {
  const hours = (fix.at - (since + until) / 2) / 3_600_000;
  if (hours <= 0 || bestM > ACCURATE_M || fix.accuracyM > ACCURATE_M) return 0;
  const kmh = distanceM(mean, fix.place) / 1000 / hours;
  return kmh <= MOST_KMH ? kmh : 0;
}
