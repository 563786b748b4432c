import { type Actor, createMover, createParked, type Shift } from './actor.ts';
import { type City, createCity } from './city.ts';
import type { SimulatedDevice } from './device.ts';
import { DueQueue } from './due-queue.ts';
import { placeOf } from './ground.ts';
import { ordinary, type Profile } from './profile.ts';
import { hash, Random } from './random.ts';
import type { Transmission } from './report.ts';
import { Reporter } from './reporter.ts';

/** Many devices in one city. */
export interface Fleet {
  readonly city: City;
  readonly devices: readonly SimulatedDevice[];
}

export interface FleetOptions {
  readonly devices: number;
  readonly seed?: number;
  /** Defaults to a city of the same seed. */
  readonly city?: City;
  readonly profile?: Profile;
  /** The proportions of the kinds. */
  readonly mix?: Partial<Record<Actor['kind'], number>>;
  /** Working hours of all movers. By default, most work by day, some in the evening, some around the clock. */
  readonly shift?: Shift;
}

export const MIX: Readonly<Record<Actor['kind'], number>> = { vehicle: 12, cyclist: 2, walker: 3, parked: 3 };

export function createFleet(options: FleetOptions): Fleet {
  const { seed = 1, profile = ordinary } = options;
  const city = options.city ?? createCity({ seed });
  const devices = Array.from({ length: options.devices }, (_, index): SimulatedDevice => {
    const own = hash(seed, index, 51);
    const random = new Random(own);
    const actor = actorOf(city, own, random, options);
    return {
      index,
      name: `Sim ${String(index + 1).padStart(3, '0')}`,
      seed: own,
      actor,
      profile,
      intervalS: profile.intervalsS[random.below(profile.intervalsS.length)]!,
      sensor: sensorOf(actor, random),
    };
  });
  return { city, devices };
}

function actorOf(city: City, seed: number, random: Random, { mix = MIX, shift }: FleetOptions): Actor {
  const kind = choose(mix, random);
  const hours = random.next();
  if (kind === 'parked') {
    // Next to a street.
    const { a, b } = city.network.streets[random.below(city.network.streets.length)]!;
    const [p, q] = [city.network.nodes[a]!, city.network.nodes[b]!];
    const share = random.next();
    const spot = { x: p.x + (q.x - p.x) * share, y: p.y + (q.y - p.y) * share + random.between(-20, 20) };
    return createParked(city, placeOf(city.ground, spot));
  }
  return createMover(city, { kind, seed, shift: shift ?? (hours < 0.65 ? 'day' : hours < 0.8 ? 'evening' : 'always') });
}

function choose(mix: Partial<Record<Actor['kind'], number>>, random: Random): Actor['kind'] {
  const shares = Object.entries(mix) as [Actor['kind'], number][];
  let left = random.next() * shares.reduce((sum, [, share]) => sum + share, 0);
  for (const [kind, share] of shares) {
    left -= share;
    if (left < 0) return kind;
  }
  return shares[0]![0];
}

function sensorOf({ kind }: Actor, random: Random): SimulatedDevice['sensor'] {
  const chance = random.next();
  if (kind === 'vehicle') return chance < 0.35 ? 'fridge' : 'none';
  return kind === 'parked' && chance < 0.6 ? 'outdoor' : 'none';
}

/** An endless stream of the transmissions of one device, from a time on. */
export function* transmissionsOf(device: SimulatedDevice, from: number): Generator<Transmission, never> {
  const reporter = new Reporter(device, from);
  for (;;) yield reporter.next();
}

/** The transmissions of all devices from a time on, in order of sending. Endless unless an end is given (epoch ms). */
export function* transmissions(
  { devices }: Pick<Fleet, 'devices'>,
  from: number,
  until = Number.POSITIVE_INFINITY,
): Generator<Transmission, void> {
  const reporters = devices.map((device) => new Reporter(device, from));
  const queue = new DueQueue(reporters.map(({ dueAt }) => dueAt));
  while (reporters.length > 0) {
    if (queue.dueAt >= until) return;
    // Each device is advanced only when it is due, so that few transmissions are in memory at a time.
    const reporter = reporters[queue.first]!;
    const sent = reporter.advance();
    if (sent !== undefined) yield sent;
    queue.postpone(reporter.dueAt);
  }
}
