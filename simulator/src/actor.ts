import type { City } from './city.ts';
import { type Place, spotOf } from './ground.ts';
import type { Whereabouts } from './itinerary.ts';
import type { Mode } from './pace.ts';

/** Who or what carries a device. Where it is at any instant follows from these few words and the city alone. */
export type Actor = Mover | Parked;

interface Any {
  readonly city: City;
  /** What is remembered of the day last asked about; it changes no answer. */
  readonly whereabouts: Whereabouts;
}

/** Goes out from its home address on errands and is back once a day. */
export interface Mover extends Any {
  readonly kind: 'vehicle' | 'cyclist' | 'walker';
  readonly seed: number;
  readonly mode: Mode;
  readonly home: number;
  readonly shift: Shift;
}

/** Never moves. */
export interface Parked extends Any {
  readonly kind: 'parked';
  readonly x: number;
  readonly y: number;
}

/** Working hours: by day, in the evening, or around the clock with a rest before dawn. */
export type Shift = 'day' | 'evening' | 'always';

const MODE_OF = { vehicle: 'car', cyclist: 'bicycle', walker: 'foot' } as const;

export interface MoverOptions {
  readonly kind?: Mover['kind'];
  readonly seed?: number;
  /** An address of the city; vehicles live at depots by default. */
  readonly home?: number;
  readonly shift?: Shift;
}

export function createMover(city: City, options: MoverOptions = {}): Mover {
  const { kind = 'vehicle', seed = 1, shift = 'day' } = options;
  const home = options.home ?? (kind === 'vehicle' ? seed % city.depots : seed % city.addresses.length);
  if (city.addresses[home] === undefined) throw new RangeError(`The city has no address ${home}.`);
  return { kind, city, seed, mode: MODE_OF[kind], home, shift, whereabouts: {} };
}

export const createParked = (city: City, at: Place): Parked => ({
  kind: 'parked',
  city,
  ...spotOf(city.ground, at),
  whereabouts: {},
});
