import { distanceM, type Place } from '../../platform/sphere.ts';
import type { Located } from '../fix.ts';
import { isUnexplainedJump, type Observation, observationOf } from './outlier.ts';
import { paceKmh } from './pace.ts';
import { joined, type Rest, resting } from './rest.ts';

/**
 * Decides whether a device moves, and derives its trips and stops. Pure, in fix time.
 *
 * Moving: at least 5 km/h, or more than max(50 m, 2a) from where it rests, where a is the accuracy. Stopped: three
 * minutes without that. Thirty minutes without a fix end a trip at its last fix.
 */

export const MOVING_KMH = 5;
export const LEFT_M = 50;
export const STOPPED_AFTER_MS = 180_000;
export const SILENT_AFTER_MS = 1_800_000;
/** After this time, the highest speed of a trip shows what the vehicle can do. */
export const SHOWN_MS = 900_000;
export const MIN_TRIP_M = 100;
export const MIN_TRIP_MS = 60_000;

export interface Underway {
  readonly startedAt: number;
  readonly start: Place;
  readonly startPointId: number;
  readonly distanceM: number;
  readonly maxSpeedKmh: number;
  /** Time within the trip during which the device rested, but not long enough to be a stop. */
  readonly idleMs: number;
  /** The trip up to when the device last came to rest: it ends there if the rest becomes a stop. */
  readonly untilRest: Omit<Underway, 'untilRest'>;
}

export interface LastSeen {
  readonly at: number;
  readonly place: Place;
  readonly accuracyM: number;
  readonly pointId: number;
  readonly speedKmh?: number;
  readonly courseDeg?: number;
  /** The highest speed of the trip, once it has lasted `SHOWN_MS`. */
  readonly fastestKmh?: number;
  /** The previous fix, if this one is farther from it than their speeds explain. */
  readonly jumpedFrom?: Observation;
}

export interface Motion {
  readonly last: LastSeen;
  /** The place where the device rests: the stop while stopped, else a place that may become one. */
  readonly rest: Rest;
  readonly underway?: Underway;
}

export interface Trip {
  readonly start: number;
  readonly end: number;
  readonly distanceM: number;
  readonly idleMs: number;
  readonly maxSpeedKmh: number;
  readonly startLocation: Place;
  readonly endLocation: Place;
  readonly startPointId: number;
  readonly endPointId: number;
}

export interface Stop {
  readonly start: number;
  readonly end: number;
  readonly location: Place;
}

export interface Moved {
  readonly motion: Motion;
  readonly trip?: Trip;
  readonly stop?: Stop;
  /** The time at which a trip began or ended, if one did. */
  readonly started?: number;
  readonly stopped?: number;
  /** Metres since the previous fix. */
  readonly advancedM: number;
}

export const isMoving = (motion: Motion | undefined) => motion?.underway !== undefined;

/** The next time at which the clock alone changes the state, if no fix arrives. */
export const motionDue = (motion: Motion | undefined) =>
  motion?.underway === undefined ? undefined : motion.last.at + SILENT_AFTER_MS;

/** The state after the first fix, or after the first fix in a long time. */
export function begin(fix: Located): Motion {
  return { last: seen(fix), rest: resting(fix) };
}

/** Called when the clock passes `at` without a fix: a trip without fixes for too long ends at its last fix. */
export function silence(motion: Motion, at: number): Moved {
  const due = motionDue(motion);
  if (due === undefined || at < due) return { motion, advancedM: 0 };
  const { last, underway } = motion;
  const trip = tripOf(underway!, last.at, last.place, last.pointId);
  const rest: Rest = {
    ...motion.rest,
    since: last.at,
    until: last.at,
    mean: last.place,
    count: 1,
    bestM: last.accuracyM,
    weight: 1 / last.accuracyM ** 2,
  };
  return { motion: { last, rest }, ...(trip && { trip }), stopped: last.at, advancedM: 0 };
}

/** Whether a fix shows that the device moves, rather than rests where it did. */
export function leavesRest(rest: Rest, fix: Located): boolean {
  return (fix.speedKmh ?? 0) >= MOVING_KMH || distanceM(rest.mean, fix.place) > Math.max(LEFT_M, 2 * fix.accuracyM);
}

/**
 * Whether a device under way moved since the fix before, though it may not have left the place around that fix: close
 * fixes without a speed are told from a pause by their way and time.
 */
export const movesOn = (rest: Rest, fix: Located, leaves: boolean): boolean =>
  leaves || (fix.speedKmh === undefined && paceKmh(rest, fix) >= MOVING_KMH);

/** As the device told it; else by way and time, once the way is long enough to say something. */
export const speedAt = (rest: Rest, fix: Located, leaves: boolean): number | undefined =>
  fix.speedKmh ?? (leaves ? paceKmh(rest, fix) : undefined);

/** The trip that is under way, as far as it has come; undefined where it is too short to count. */
export const tripSoFar = ({ underway, last }: Motion): Trip | undefined =>
  underway && tripOf(underway, last.at, last.place, last.pointId);

export function move(before: Motion, fix: Located): Moved {
  const isSilent = fix.at - before.last.at > SILENT_AFTER_MS;
  const { rest, underway, last } = before;
  const leaves = leavesRest(rest, fix);
  if (underway === undefined) return leaves ? setOff(before, fix, isSilent) : stay(before, fix);

  const advancedM = distanceM(last.place, fix.place);
  const idleMs = movesOn(rest, fix, leaves) ? 0 : fix.at - last.at;
  const on = extend(underway, speedAt(rest, fix, leaves), advancedM, idleMs);
  if (leaves) {
    const moving: Underway = { ...on, untilRest: withoutRest(on) };
    return { motion: { last: seen(fix, before), rest: resting(fix), underway: moving }, advancedM };
  }
  const longer = joined(rest, fix);
  if (fix.at - longer.since < STOPPED_AFTER_MS) {
    return { motion: { last: seen(fix, before), rest: longer, underway: on }, advancedM };
  }
  const trip = tripOf(on.untilRest, longer.since, longer.mean, longer.firstPointId);
  return { motion: { last: seen(fix, before), rest: longer }, ...(trip && { trip }), stopped: longer.since, advancedM };
}

/**
 * The device leaves the place where it rested: the stop ends, and a trip begins there, or at this fix after a long
 * silence.
 */
function setOff(before: Motion, fix: Located, isSilent: boolean): Moved {
  const { rest, last } = before;
  const stop: Stop = { start: rest.since, end: rest.until, location: rest.mean };
  const from = isSilent ? seen(fix) : { ...last, place: rest.mean };
  const advancedM = isSilent ? 0 : distanceM(from.place, fix.place);
  const first = {
    startedAt: from.at,
    start: from.place,
    startPointId: from.pointId,
    distanceM: advancedM,
    maxSpeedKmh: speedAt(rest, fix, true) ?? 0,
    idleMs: 0,
  };
  const underway: Underway = { ...first, untilRest: first };
  return {
    motion: { last: seen(fix, before), rest: resting(fix), underway },
    ...(stop.end > stop.start && { stop }),
    started: from.at,
    advancedM,
  };
}

function stay(before: Motion, fix: Located): Moved {
  return { motion: { last: seen(fix, before), rest: joined(before.rest, fix) }, advancedM: 0 };
}

function extend(underway: Underway, speedKmh: number | undefined, advancedM: number, idleMs: number): Underway {
  return {
    ...underway,
    distanceM: underway.distanceM + advancedM,
    maxSpeedKmh: Math.max(underway.maxSpeedKmh, speedKmh ?? 0),
    idleMs: underway.idleMs + idleMs,
  };
}

function withoutRest({ untilRest: _, ...trip }: Underway): Underway['untilRest'] {
  return trip;
}

/** Undefined if the trip was too short to count. */
function tripOf(
  underway: Underway['untilRest'],
  end: number,
  endLocation: Place,
  endPointId: number,
): Trip | undefined {
  if (underway.distanceM < MIN_TRIP_M || end - underway.startedAt < MIN_TRIP_MS) return undefined;
  const { startedAt: start, start: startLocation, startPointId, maxSpeedKmh, idleMs } = underway;
  return {
    start,
    end,
    distanceM: underway.distanceM,
    idleMs,
    maxSpeedKmh,
    startLocation,
    endLocation,
    startPointId,
    endPointId,
  };
}

function seen(fix: Located, before?: Motion): LastSeen {
  const { at, place, accuracyM, pointId, speedKmh, courseDeg } = fix;
  const last: { -readonly [K in keyof LastSeen]: LastSeen[K] } = { at, place, accuracyM, pointId };
  if (speedKmh !== undefined) last.speedKmh = speedKmh;
  if (courseDeg !== undefined) last.courseDeg = courseDeg;
  const underway = before?.underway;
  if (underway !== undefined && at - underway.startedAt >= SHOWN_MS) last.fastestKmh = underway.maxSpeedKmh;
  if (before !== undefined && isUnexplainedJump(before.last, fix)) last.jumpedFrom = observationOf(before.last);
  return last;
}
