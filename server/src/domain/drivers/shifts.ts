import { HEARD_MINUTES, SIGN_ON_HOURS, type SIGN_ON_WAYS } from '@trackway/contract/resources/fleet-tools/driver.ts';

/** Who drove when, by what signed drivers on and off. Pure: worked out whenever it is read, so data may come late. */

/** A tag as it is compared: `a1-b2 c3` is `A1B2C3`. */
export const spelled = (tag: string): string => tag.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** A tag of zeros alone, or none, is no tag: the reader says that nobody is there. */
export const isNoTag = (tag: string): boolean => /^0*$/.test(tag);

export const LASTS_MS = SIGN_ON_HOURS * 3_600_000;
export const HEARD_MS = HEARD_MINUTES * 60_000;

export type SignOnWay = (typeof SIGN_ON_WAYS)[number];

export interface SignOnByHand {
  readonly at: number;
  /** Null: the driver was signed off. */
  readonly driverId: number | null;
}

export interface TagReading {
  readonly at: number;
  /** As `spelled` writes it. */
  readonly tag: string;
}

/** A time in which the tag of a driver was heard, again and again. */
export interface HeardStretch {
  readonly driverId: number;
  readonly from: number;
  /** Of the last time that it was heard. */
  readonly to: number;
}

export interface Shift {
  readonly driverId: number;
  readonly start: number;
  /** Null while it lasts. */
  readonly end: number | null;
  readonly by: SignOnWay;
}

/**
 * A tag that is read again and again signs on once: a sign-on by hand in between lasts until another tag is read.
 * @param byHand,readings each in the order of time
 * @param heard in any order; like a tag that is read, the beginning of each signs on
 * @param now what lies later is not known yet
 */
export function shiftsOf(
  byHand: readonly SignOnByHand[],
  readings: readonly TagReading[],
  driverOf: (tag: string) => number | undefined,
  now: number,
  heard: readonly HeardStretch[] = [],
): Shift[] {
  const shifts: Shift[] = [];
  let open: { driverId: number; start: number; by: SignOnWay; isHeard: boolean } | undefined;
  let last: TagReading | undefined;
  const close = (at: number) => {
    if (open !== undefined && at > open.start) {
      const { driverId, start, by } = open;
      shifts.push({ driverId, start, end: at, by });
    }
    open = undefined;
  };
  /** By the time of this moment, a tag that was not read for long signs nobody on. */
  const lapse = (at: number) => {
    if (last === undefined || at - last.at <= LASTS_MS) return;
    if (open?.by === 'tag' && !open.isHeard) close(last.at + LASTS_MS);
    last = undefined;
  };
  const signOn = (at: number, driverId: number | undefined, by: SignOnWay, isHeard = false) => {
    if (open !== undefined && open.driverId === driverId) {
      if (by === 'hand') open.by = 'hand';
      // What was said outright stays when the tag is not heard any more.
      open.isHeard &&= isHeard;
      return;
    }
    close(at);
    if (driverId !== undefined) open = { driverId, start: at, by, isHeard };
  };
  const read = (reading: TagReading) => {
    if (last?.tag !== reading.tag) signOn(reading.at, isNoTag(reading.tag) ? undefined : driverOf(reading.tag), 'tag');
    last = reading;
  };
  const events = [
    ...byHand.map(({ at, driverId }) => ({ at, act: () => signOn(at, driverId ?? undefined, 'hand') })),
    ...readings.map((reading) => ({ at: reading.at, act: () => read(reading) })),
    ...oneAtATime(heard).flatMap(({ driverId, from, to }) => [
      { at: from, act: () => signOn(from, driverId, 'tag', true) },
      { at: to, act: () => open?.isHeard && open.driverId === driverId && close(to) },
    ]),
  ];
  // Of one moment, in this order: what was done by hand comes first.
  for (const { at, act } of events.sort((a, b) => a.at - b.at)) {
    if (at > now) break;
    lapse(at);
    act();
  }
  lapse(now);
  if (open === undefined) return shifts;
  const { driverId, start, by } = open as Omit<Shift, 'end'>;
  return [...shifts, { driverId, start, end: null, by }];
}

/** Of tags that are heard at once, the first counts until it is not heard any more: its driver has passengers. */
function oneAtATime(heard: readonly HeardStretch[]): HeardStretch[] {
  const counted: HeardStretch[] = [];
  for (const { driverId, from, to } of heard.toSorted((a, b) => a.from - b.from)) {
    const lasts = to + HEARD_MS;
    const before = counted.at(-1);
    if (before === undefined || before.to < from) counted.push({ driverId, from, to: lasts });
    else if (lasts > before.to) {
      if (before.driverId === driverId) counted[counted.length - 1] = { ...before, to: lasts };
      else counted.push({ driverId, from: before.to, to: lasts });
    }
  }
  return counted;
}

/** @param times when a tag of a driver was heard, in their order; of those in between, the first and the last may do */
export function stretchesOf(driverId: number, times: readonly number[]): HeardStretch[] {
  const stretches: HeardStretch[] = [];
  for (const at of times) {
    const before = stretches.at(-1);
    if (before !== undefined && at - before.to <= HEARD_MS) stretches[stretches.length - 1] = { ...before, to: at };
    else stretches.push({ driverId, from: at, to: at });
  }
  return stretches;
}

/** The driver of most of a span; undefined if nobody was signed on. */
export function driverIn(shifts: readonly Shift[], start: number, end: number): number | undefined {
  const shares = new Map<number, number>();
  for (const shift of shifts) {
    const share = Math.min(end, shift.end ?? Number.POSITIVE_INFINITY) - Math.max(start, shift.start);
    // A span without a length has its driver too.
    if (share > 0 || (share === 0 && start === end))
      shares.set(shift.driverId, (shares.get(shift.driverId) ?? 0) + share);
  }
  let [found, most]: [number | undefined, number] = [undefined, -1];
  for (const [driverId, share] of shares) if (share > most) [found, most] = [driverId, share];
  return found;
}
