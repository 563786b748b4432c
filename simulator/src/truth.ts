import type { Actor } from './actor.ts';
import { BAY_SPEED } from './day-plan.ts';
import { LEG, type OnDrive, onDrive } from './drive.ts';
import { courseOf, type Place, placeOf } from './ground.ts';
import type { Leg } from './itinerary.ts';
import { activityAt } from './whereabouts.ts';

/** The true position of an actor, without noise. The reports of a device are compared with it. */
export interface Truth {
  readonly location: Place;
  /** Metres east and north of the city's centre. */
  readonly x: number;
  readonly y: number;
  readonly speedKmh: number;
  /** Degrees clockwise from north. The last course while waiting at a crossing, 0 while parked. */
  readonly courseDeg: number;
  readonly isMoving: boolean;
  /** On a leg, including waits at crossings. */
  readonly isUnderWay: boolean;
  /** The current street. Absent while parked, and between parking spot and street. */
  readonly street?: number;
}

export function truthAt(actor: Actor, at: number): Truth {
  const found = sighting();
  sight(actor, at, found);
  const { x, y, speed, course, isUnderWay, street } = found;
  return {
    location: placeOf(actor.city.ground, { x, y }),
    x,
    y,
    speedKmh: speed * 3.6,
    courseDeg: course,
    isMoving: speed > 0,
    isUnderWay,
    street: street < 0 ? undefined : street,
  };
}

/** The true position in the form that devices use. The object is reused, since one is needed for each fix. */
export interface Sighting extends OnDrive {
  course: number;
  isUnderWay: boolean;
  /** −1 off the streets. */
  street: number;
  /** End of the stay, epoch ms. −1 while on a leg. */
  staysUntil: number;
  /** Whether it stays at home rather than on an errand. */
  isHome: boolean;
}

export const sighting = (): Sighting => ({
  x: 0,
  y: 0,
  speed: 0,
  leg: 0,
  course: 0,
  isUnderWay: false,
  street: -1,
  staysUntil: -1,
  isHome: false,
});

export function sight(actor: Actor, at: number, out: Sighting): void {
  if (actor.kind === 'parked') {
    stand(out, actor.x, actor.y, Number.POSITIVE_INFINITY, true);
    return;
  }
  const activity = activityAt(actor, at);
  if (activity.kind === 'stay')
    stand(out, activity.spot.x, activity.spot.y, activity.until, activity.address === actor.home);
  else go(out, activity, at);
}

function go(out: Sighting, leg: Leg, at: number): void {
  out.isUnderWay = true;
  out.staysUntil = -1;
  out.isHome = false;
  if (at < leg.streetFrom) crawl(out, leg, at - leg.from, leg.streetFrom - leg.from, true);
  else if (at >= leg.streetUntil) crawl(out, leg, at - leg.streetUntil, leg.until - leg.streetUntil, false);
  else drive(out, leg, at);
}

function drive(out: Sighting, { drive, tempo, streetFrom }: Leg, at: number): void {
  onDrive(drive, Math.min(drive.durationS, ((at - streetFrom) / 1000) * tempo), out);
  out.speed *= tempo;
  out.course = courseOf(drive.legs[out.leg * LEG + 2]!, drive.legs[out.leg * LEG + 3]!);
  out.street = drive.streets[out.leg]!;
}

function stand(out: Sighting, x: number, y: number, until: number, isHome: boolean): void {
  out.x = x;
  out.y = y;
  out.speed = 0;
  out.course = 0;
  out.isUnderWay = false;
  out.street = -1;
  out.staysUntil = until;
  out.isHome = isHome;
}

/** Moves between parking spot and street, in either direction. */
function crawl(out: Sighting, leg: Leg, passedMs: number, ofMs: number, isOut: boolean): void {
  const [from, to] = isOut ? [leg.start, firstSpot(leg)] : [lastSpot(leg), leg.end];
  const share = passedMs / ofMs;
  out.x = from.x + (to.x - from.x) * share;
  out.y = from.y + (to.y - from.y) * share;
  out.speed = BAY_SPEED;
  out.course = courseOf(to.x - from.x, to.y - from.y);
  out.street = -1;
}

/** The first and the last spot of a leg on the streets. */
export const firstSpot = ({ drive: { legs } }: Leg) => ({ x: legs[0]!, y: legs[1]! });
export const lastSpot = ({ drive: { legs } }: Leg) => {
  const l = legs.length - LEG;
  return { x: legs[l]! + legs[l + 2]! * legs[l + 4]!, y: legs[l + 1]! + legs[l + 3]! * legs[l + 4]! };
};
