import type { Mover, Shift } from './actor.ts';
import type { Spot } from './ground.ts';
import type { DayPlan } from './itinerary.ts';
import type { Mode } from './pace.ts';
import { hash, Random, shareOf } from './random.ts';

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAY_BEGINS_MS = 4 * HOUR_MS;

export const dayOf = ({ city }: Mover, at: number): number =>
  Math.floor((at + city.utcOffsetMs - DAY_BEGINS_MS) / DAY_MS);
export const dayStart = ({ city }: Mover, day: number): number => day * DAY_MS - city.utcOffsetMs + DAY_BEGINS_MS;

/** Hours after the start of the day: the first departure, and the latest return home. */
const HOURS: Readonly<Record<Shift, { from: readonly [number, number]; until: readonly [number, number] }>> = {
  day: { from: [2, 5], until: [11, 15] },
  evening: { from: [9.5, 12], until: [18, 21.5] },
  always: { from: [0.02, 0.5], until: [22.5, 23.9] },
};

/** Minutes at an errand. */
const ERRAND_MIN: Readonly<Record<Mode, readonly [number, number]>> = { car: [2, 15], bicycle: [2, 25], foot: [8, 90] };
/** The share of day workers who also work on Saturday and Sunday. */
const WEEKEND_SHARE = 0.25;

export function planDay(mover: Mover, day: number): DayPlan {
  const random = new Random(hash(mover.seed, day, 11));
  const { from, until } = HOURS[mover.shift];
  const start = dayStart(mover, day);
  const tempo = random.between(0.82, 1);
  const lastHomeAt = start + HOUR_MS * random.between(...until);
  let at = start + HOUR_MS * random.between(...from);
  const plan = { day, departAt: [] as number[], arriveAt: [] as number[], stops: [mover.home], tempo };
  if (isFree(mover, day)) return plan;
  let here = mover.home;
  const go = (there: number) => {
    plan.departAt.push(at);
    at += legMs(mover, here, there, tempo);
    plan.arriveAt.push(at);
    plan.stops.push(there);
    here = there;
  };
  for (;;) {
    const next = nextStop(mover, here, random);
    const stayMs = 60_000 * random.between(...ERRAND_MIN[mover.mode]);
    const homeAt = at + legMs(mover, here, next, tempo) + stayMs + legMs(mover, next, mover.home, tempo);
    if (homeAt > lastHomeAt) break;
    go(next);
    at += stayMs;
  }
  if (here !== mover.home) go(mover.home);
  return plan;
}

/** Day 0 of the epoch was a Thursday. */
const isFree = ({ shift, seed }: Mover, day: number) =>
  shift === 'day' && ((day + 4) % 7) % 6 === 0 && shareOf(seed, day, 12) > WEEKEND_SHARE;

/** Vehicles go to any address, the others to one nearby. */
function nextStop({ city, mode }: Mover, here: number, random: Random): number {
  const choices = mode === 'car' ? undefined : city.near(here);
  if (choices !== undefined) return choices[random.below(choices.length)]!;
  const there = random.below(city.addresses.length - 1);
  return there < here ? there : there + 1;
}

/** Speed between a parking spot and the street, in m/s. */
export const BAY_SPEED = 1.4;

/** The parking spot of a mover at an address: off the street, and different for each mover. */
export function bayOf({ seed, city }: Mover, address: number): Spot {
  const { x, y } = city.addresses[address]!;
  const angle = 2 * Math.PI * shareOf(seed, address, 13);
  const m = bayM(seed, address);
  return { x: x + m * Math.cos(angle), y: y + m * Math.sin(angle) };
}

const bayM = (seed: number, address: number) => 4 + 21 * shareOf(seed, address, 14);

function legMs(mover: Mover, from: number, to: number, tempo: number): number {
  const offStreetM = bayM(mover.seed, from) + bayM(mover.seed, to);
  return 1000 * (offStreetM / BAY_SPEED + mover.city.driveS(from, to, mover.mode) / tempo);
}

/** The cached plan of a day. */
export function planOf(mover: Mover, day: number): DayPlan {
  const { whereabouts } = mover;
  if (whereabouts.plan?.day !== day) whereabouts.plan = planDay(mover, day);
  return whereabouts.plan!;
}
