import { distanceM, type Place } from '../../platform/sphere.ts';
import type { Located } from '../fix.ts';
import type { Tx } from '../schema/tables.ts';
import { isUnexplainedJump, type Observation, observationOf } from './outlier.ts';
import { joined, resting, type Standstill } from './standstill.ts';

/** Less accurate fixes cannot give a speed. */
const ACCURATE_M = 50;
/** A higher speed is probably an error of a position. */
const MOST_KMH = 350;

/**
 * The speed of a device since its last presumed rest, from distance and time: for fixes without a reported speed. The
 * mean of that place represents the middle of its time, so that the speed of a steady ride is correct however close its
 * fixes are, and that after a long rest is too low rather than too high.
 */
function paceKmh({ mean, since, until, bestM }: Standstill, fix: Located): number {
  const hours = (fix.at - (since + until) / 2) / 3_600_000;
  if (hours <= 0 || bestM > ACCURATE_M || fix.accuracyM > ACCURATE_M) return 0;
  const kmh = distanceM(mean, fix.place) / 1000 / hours;
  return kmh <= MOST_KMH ? kmh : 0;
}

/**
 * Decides whether a device moves, and derives its trips and stops. Pure, in fix time.
 *
 * Moving: at least 5 km/h, or more than max(50 m, 2a) from its resting place, where a is the accuracy. Stopped: three
 * minutes without that. Thirty minutes without a fix end a trip at its last fix.
 */

export const MOVING_KMH = 5;
const LEFT_M = 50;
const STOPPED_AFTER_MS = 180_000;
export const SILENT_AFTER_MS = 1_800_000;
/** After this time, the highest speed of a trip shows what the vehicle is capable of. */
const SHOWN_MS = 900_000;
const MIN_TRIP_M = 100;
const MIN_TRIP_MS = 60_000;

interface Underway {
  readonly startedAt: number;
  readonly start: Place;
  readonly startPointId: number;
  readonly distanceM: number;
  readonly maxSpeedKmh: number;
  /** Time within the trip during which the device rested, but not long enough to be a stop. */
  readonly idleMs: number;
  /** The trip up to the last time the device came to rest: it ends there if the rest becomes a stop. */
  readonly untilStandstill: Omit<Underway, 'untilStandstill'>;
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
  readonly standstill: Standstill;
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
  /** The time when a trip began or ended, if one did. */
  readonly started?: number;
  readonly stopped?: number;
  /** Metres since the previous fix. */
  readonly advancedM: number;
}

export const isMoving = (motion: Motion | undefined) => motion?.underway !== undefined;

/** The next time when the clock alone changes the state, if no fix arrives. */
export const motionDue = (motion: Motion | undefined) =>
  motion?.underway === undefined ? undefined : motion.last.at + SILENT_AFTER_MS;

/** The state after the first fix, or after the first fix in a long time. */
export function begin(fix: Located): Motion {
  return { last: seen(fix), standstill: resting(fix) };
}

/** Called when the clock passes `at` without a fix: a trip without fixes for too long ends at its last fix. */
export function silence(motion: Motion, at: number): Moved {
  const due = motionDue(motion);
  if (due === undefined || at < due) return { motion, advancedM: 0 };
  const { last, underway } = motion;
  const trip = tripOf(underway!, last.at, last.place, last.pointId);
  const standstill: Standstill = {
    ...motion.standstill,
    since: last.at,
    until: last.at,
    mean: last.place,
    count: 1,
    bestM: last.accuracyM,
    weight: 1 / last.accuracyM ** 2,
  };
  return { motion: { last, standstill }, ...(trip && { trip }), stopped: last.at, advancedM: 0 };
}

/** Whether a fix shows that the device moves, rather than rests at its place. */
export function leavesStandstill(standstill: Standstill, fix: Located): boolean {
  return (
    (fix.speedKmh ?? 0) >= MOVING_KMH || distanceM(standstill.mean, fix.place) > Math.max(LEFT_M, 2 * fix.accuracyM)
  );
}

/**
 * Whether a device on a trip moved since the previous fix, although it may not have left the place around that fix:
 * distance and time distinguish close fixes without a speed from a pause.
 */
export const movesOn = (standstill: Standstill, fix: Located, leaves: boolean): boolean =>
  leaves || (fix.speedKmh === undefined && paceKmh(standstill, fix) >= MOVING_KMH);

/** The reported speed; else from distance and time, if the distance is long enough. */
export const speedAt = (standstill: Standstill, fix: Located, leaves: boolean): number | undefined =>
  fix.speedKmh ?? (leaves ? paceKmh(standstill, fix) : undefined);

/** The current trip so far; undefined if it is too short to count. */
export const tripSoFar = ({ underway, last }: Motion): Trip | undefined =>
  underway && tripOf(underway, last.at, last.place, last.pointId);

export function move(before: Motion, fix: Located): Moved {
  const isSilent = fix.at - before.last.at > SILENT_AFTER_MS;
  const { standstill, underway, last } = before;
  const leaves = leavesStandstill(standstill, fix);
  if (underway === undefined) return leaves ? setOff(before, fix, isSilent) : stay(before, fix);

  const advancedM = distanceM(last.place, fix.place);
  const idleMs = movesOn(standstill, fix, leaves) ? 0 : fix.at - last.at;
  const on = extend(underway, speedAt(standstill, fix, leaves), advancedM, idleMs);
  if (leaves) {
    const moving: Underway = { ...on, untilStandstill: withoutStandstill(on) };
    return { motion: { last: seen(fix, before), standstill: resting(fix), underway: moving }, advancedM };
  }
  const longer = joined(standstill, fix);
  if (fix.at - longer.since < STOPPED_AFTER_MS) {
    return { motion: { last: seen(fix, before), standstill: longer, underway: on }, advancedM };
  }
  const trip = tripOf(on.untilStandstill, longer.since, longer.mean, longer.firstPointId);
  return {
    motion: { last: seen(fix, before), standstill: longer },
    ...(trip && { trip }),
    stopped: longer.since,
    advancedM,
  };
}

/**
 * The device leaves the place where it rested: the stop ends, and a trip begins there, or at this fix after a long
 * silence.
 */
function setOff(before: Motion, fix: Located, isSilent: boolean): Moved {
  const { standstill, last } = before;
  const stop: Stop = { start: standstill.since, end: standstill.until, location: standstill.mean };
  const from = isSilent ? seen(fix) : { ...last, place: standstill.mean };
  const advancedM = isSilent ? 0 : distanceM(from.place, fix.place);
  const first = {
    startedAt: from.at,
    start: from.place,
    startPointId: from.pointId,
    distanceM: advancedM,
    maxSpeedKmh: Math.max(speedAt(standstill, fix, true) ?? 0, isSilent ? 0 : (last.speedKmh ?? 0)),
    idleMs: 0,
  };
  const underway: Underway = { ...first, untilStandstill: first };
  return {
    motion: { last: seen(fix, before), standstill: resting(fix), underway },
    ...(stop.end > stop.start && { stop }),
    started: from.at,
    advancedM,
  };
}

function stay(before: Motion, fix: Located): Moved {
  return { motion: { last: seen(fix, before), standstill: joined(before.standstill, fix) }, advancedM: 0 };
}

function extend(underway: Underway, speedKmh: number | undefined, advancedM: number, idleMs: number): Underway {
  return {
    ...underway,
    distanceM: underway.distanceM + advancedM,
    maxSpeedKmh: Math.max(underway.maxSpeedKmh, speedKmh ?? 0),
    idleMs: underway.idleMs + idleMs,
  };
}

function withoutStandstill({ untilStandstill: _, ...trip }: Underway): Underway['untilStandstill'] {
  return trip;
}

/** Undefined if the trip was too short to count. */
function tripOf(
  underway: Underway['untilStandstill'],
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

/**
 * Whether the ignition of a vehicle is on. Readings of type `ignition` report it. For a device without them, bit 32 of
 * `alertType` does: a position with the bit means on, the next one without it means off. Pure, except for the stored
 * changes.
 */

export interface Ignition {
  readonly isOn: boolean;
  readonly knownBy: 'reading' | 'alert';
}

/** The time since when it is on, or off. */
export interface IgnitionChange {
  readonly at: number;
  readonly isOn: boolean;
}

const IGNITION_BIT = 32;
const READING_TYPE = 'ignition';
const ON: readonly unknown[] = [true, 1, 'true', '1', 'on'];
const OFF: readonly unknown[] = [false, 0, 'false', '0', 'off'];

/** Whether a reading means that the ignition is on, or off; undefined if neither. */
export function ignitionIn({ type, value }: { readonly type: string; readonly value: unknown }): boolean | undefined {
  if (type !== READING_TYPE) return undefined;
  const said = typeof value === 'string' ? value.trim().toLowerCase() : value;
  return ON.includes(said) ? true : OFF.includes(said) ? false : undefined;
}

export const hasIgnitionBit = ({ alerts }: { readonly alerts: number }) => (alerts & IGNITION_BIT) !== 0;

/** Readings take precedence over the bit, so the bit counts only until the first reading. */
export function ignitionByFix(before: Ignition | undefined, fix: { readonly alerts: number }): Ignition | undefined {
  if (before?.knownBy === 'reading') return before;
  const isOn = hasIgnitionBit(fix);
  return isOn === (before?.isOn ?? false) ? before : { isOn, knownBy: 'alert' };
}

export function ignitionByReading(
  before: Ignition | undefined,
  reading: { readonly type: string; readonly value: unknown },
): Ignition | undefined {
  const isOn = ignitionIn(reading);
  if (isOn === undefined || (before?.isOn === isOn && before.knownBy === 'reading')) return before;
  return { isOn, knownBy: 'reading' };
}

const rowOf = (deviceId: number, { at, isOn }: IgnitionChange) => ({ deviceId, at, isOn: isOn ? 1 : 0 });

export async function saveIgnition(tx: Tx, deviceId: number, changes: readonly IgnitionChange[]): Promise<void> {
  for (const change of changes) await tx.insertInto('ignitionChanges').values(rowOf(deviceId, change)).execute();
}

/** Replaces all changes after a time, or between two, by the result of a replay. */
export async function correctIgnition(
  tx: Tx,
  deviceId: number,
  after: number,
  found: readonly IgnitionChange[],
  until = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const olds = await tx
    .selectFrom('ignitionChanges')
    .select(['id', 'at', 'isOn'])
    .where('deviceId', '=', deviceId)
    .where('at', '>', after)
    .where('at', '<=', until)
    .orderBy('at')
    .orderBy('id')
    .execute();
  // Usually nothing has changed and nothing is written.
  let same = 0;
  while (same < olds.length && same < found.length && isSame(olds[same]!, found[same]!)) same++;
  const wrong = olds[same];
  if (wrong !== undefined)
    await tx
      .deleteFrom('ignitionChanges')
      .where('deviceId', '=', deviceId)
      .where('at', '<=', until)
      .where((when) =>
        when.or([when('at', '>', wrong.at), when.and([when('at', '=', wrong.at), when('id', '>=', wrong.id)])]),
      )
      .execute();
  await saveIgnition(tx, deviceId, found.slice(same));
}

const isSame = (old: { readonly at: number; readonly isOn: number }, { at, isOn }: IgnitionChange) =>
  old.at === at && old.isOn === (isOn ? 1 : 0);
