import { distanceM, type Place } from '../../platform/sphere.ts';
import type { Located } from '../fix.ts';
import { isUnexplainedJump, type Observation, observationOf } from './outlier.ts';
import { joined, type Rest, resting } from './rest.ts';

/**
 * Whether a device moves, and the trips and stops that follow. Pure, in fix time.
 *
 * Moving: at least 5 km/h, or more than max(50 m, 2a) from where it rests. Stopped: three minutes without that. Thirty
 * minutes without a fix end a trip at its last fix.
 */

export const MOVING_KMH = 5;
export const LEFT_M = 50;
export const STOPPED_AFTER_MS = 180_000;
export const SILENT_AFTER_MS = 1_800_000;
/** After this long, the fastest speed of a trip says what the vehicle can do. */
export const SHOWN_MS = 900_000;
export const MIN_TRIP_M = 100;
export const MIN_TRIP_MS = 60_000;

export interface Underway {
  readonly startedAt: number;
  readonly start: Place;
  readonly startPointId: number;
  readonly distanceM: number;
  readonly maxSpeedKmh: number;
  /** Time within the trip at which it did not move, but not long enough to be stopped. */
  readonly idleMs: number;
  /** The trip as it was when the device last came to rest: where it ends if that becomes a stop. */
  readonly untilRest: Omit<Underway, 'untilRest'>;
}

export interface LastSeen {
  readonly at: number;
  readonly place: Place;
  readonly accuracyM: number;
  readonly pointId: number;
  readonly speedKmh?: number;
  readonly courseDeg?: number;
  /** The fastest of its trip, once that has lasted. */
  readonly fastestKmh?: number;
  /** The one before, where this one is farther from it than their speeds explain. */
  readonly jumpedFrom?: Observation;
}

export interface Motion {
  readonly last: LastSeen;
  /** Where it rests: the stop while stopped, else what may become one. */
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
  /** Where a trip began or ended, with the time it did. */
  readonly started?: number;
  readonly stopped?: number;
  /** Metres gone since the fix before. */
  readonly advancedM: number;
}

export const isMoving = (motion: Motion | undefined) => motion?.underway !== undefined;

/** When nothing more happens, the next moment at which the clock alone changes something. */
export const motionDue = (motion: Motion | undefined) =>
  motion?.underway === undefined ? undefined : motion.last.at + SILENT_AFTER_MS;

/** A device that was never heard, or is heard again. */
export function begin(fix: Located): Motion {
  return { last: seen(fix), rest: resting(fix) };
}

/** The clock passed `at` with nothing heard: a trip that went silent ends at its last fix. */
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

export function move(before: Motion, fix: Located): Moved {
  const isSilent = fix.at - before.last.at > SILENT_AFTER_MS;
  const { rest, underway, last } = before;
  const fromRestM = distanceM(rest.mean, fix.place);
  const leaves = (fix.speedKmh ?? 0) >= MOVING_KMH || fromRestM > Math.max(LEFT_M, 2 * fix.accuracyM);
  if (underway === undefined) return leaves ? setOff(before, fix, isSilent) : stay(before, fix);

  const advancedM = distanceM(last.place, fix.place);
  const on = extend(underway, fix, advancedM, leaves ? 0 : fix.at - last.at);
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

/** It leaves where it rested: the stop ends, and a trip begins there, or here where nothing was heard for long. */
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
    maxSpeedKmh: fix.speedKmh ?? 0,
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

function extend(underway: Underway, fix: Located, advancedM: number, idleMs: number): Underway {
  return {
    ...underway,
    distanceM: underway.distanceM + advancedM,
    maxSpeedKmh: Math.max(underway.maxSpeedKmh, fix.speedKmh ?? 0),
    idleMs: underway.idleMs + idleMs,
  };
}

function withoutRest({ untilRest: _, ...trip }: Underway): Underway['untilRest'] {
  return trip;
}

/** Undefined where it was too short to be one. */
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
