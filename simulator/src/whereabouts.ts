import type { Mover } from './actor.ts';
import { BAY_SPEED, bayOf, dayOf, dayStart, planOf } from './day-plan.ts';
import type { Spot } from './ground.ts';
import type { DayPlan, Leg, Stay } from './itinerary.ts';

export function activityAt(mover: Mover, at: number): Stay | Leg {
  const { whereabouts } = mover;
  const known = whereabouts.activity;
  if (known !== undefined && at >= known.from && at < known.until) return known;
  const found = find(mover, at);
  whereabouts.activity = found;
  return found;
}

function find(mover: Mover, at: number): Stay | Leg {
  const day = dayOf(mover, at);
  const plan = planOf(mover, day);
  const { departAt, arriveAt } = plan;
  // Finds the first leg that is not over.
  let leg = 0;
  let high = departAt.length;
  while (leg < high) {
    const middle = (leg + high) >> 1;
    if (arriveAt[middle]! <= at) leg = middle + 1;
    else high = middle;
  }
  if (leg < departAt.length && departAt[leg]! <= at) return legOf(mover, plan, leg);
  const address = plan.stops[leg]!;
  return {
    kind: 'stay',
    from: leg === 0 ? dayStart(mover, day) : arriveAt[leg - 1]!,
    until: leg < departAt.length ? departAt[leg]! : dayStart(mover, day + 1),
    address,
    spot: bayOf(mover, address),
  };
}

export function legOf(mover: Mover, plan: DayPlan, leg: number): Leg {
  const [from, to] = [plan.stops[leg]!, plan.stops[leg + 1]!];
  const [a, b] = [mover.city.addresses[from]!, mover.city.addresses[to]!];
  const [start, end] = [bayOf(mover, from), bayOf(mover, to)];
  const msTo = (bay: Spot, street: Spot) => (1000 * Math.hypot(bay.x - street.x, bay.y - street.y)) / BAY_SPEED;
  const [departAt, arriveAt] = [plan.departAt[leg]!, plan.arriveAt[leg]!];
  return {
    kind: 'leg',
    from: departAt,
    until: arriveAt,
    streetFrom: departAt + msTo(start, a),
    streetUntil: arriveAt - msTo(end, b),
    start,
    end,
    drive: mover.city.drive(from, to, mover.mode),
    tempo: plan.tempo,
  };
}

/** All legs that overlap a time range, in order. */
export function* legsBetween(mover: Mover, from: number, to: number): Generator<Leg> {
  for (let day = dayOf(mover, from); day <= dayOf(mover, to); day++) {
    const plan = planOf(mover, day);
    for (let leg = 0; leg < plan.departAt.length; leg++) {
      if (plan.arriveAt[leg]! > from && plan.departAt[leg]! < to) yield legOf(mover, plan, leg);
    }
  }
}
