import { SIGHTING_MINUTES, SIGN_ON_HOURS, type SIGN_ON_WAYS } from '@trackway/contract/resources/fleet-tools/driver.ts';

/** Computes shifts from sign-ons and sign-offs. Pure: computed when read, so late data is included. */

/** A normalized tag: `a1-b2 c3` becomes `A1B2C3`. */
export const spelled = (tag: string): string => tag.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** An empty tag, or one of zeros, means that the reader has no tag. */
export const isNoTag = (tag: string): boolean => /^0*$/.test(tag);

export const LASTS_MS = SIGN_ON_HOURS * 3_600_000;
export const SIGHTING_MS = SIGHTING_MINUTES * 60_000;

type SignOnWay = (typeof SIGN_ON_WAYS)[number];

export interface SignOnByHand {
  readonly at: number;
  /** Null for a sign-off. */
  readonly driverId: number | null;
}

export interface TagReading {
  readonly at: number;
  /** As normalized by `spelled`. */
  readonly tag: string;
}

/** A time range with repeated sightings of a driver's tag. */
export interface SightedStretch {
  readonly driverId: number;
  readonly from: number;
  /** The time of the last sighting. */
  readonly to: number;
}

export interface Shift {
  readonly driverId: number;
  readonly start: number;
  /** Null while it continues. */
  readonly end: number | null;
  readonly by: SignOnWay;
}

/**
 * A tag that is read repeatedly signs on once: a manual sign-on in between lasts until another tag is read.
 * @param byHand,readings each in order of time
 * @param sightings in any order; like a reading, the start of each signs on
 * @param now later events are not known yet
 */
export function shiftsOf(
  byHand: readonly SignOnByHand[],
  readings: readonly TagReading[],
  driverOf: (tag: string) => number | undefined,
  now: number,
  sightings: readonly SightedStretch[] = [],
): Shift[] {
  const shifts: Shift[] = [];
  let open: { driverId: number; start: number; by: SignOnWay; isBySighting: boolean } | undefined;
  let last: TagReading | undefined;
  const close = (at: number) => {
    if (open !== undefined && at > open.start) {
      const { driverId, start, by } = open;
      shifts.push({ driverId, start, end: at, by });
    }
    open = undefined;
  };
  /** A tag that has not been read for long has expired by this time. */
  const lapse = (at: number) => {
    if (last === undefined || at - last.at <= LASTS_MS) return;
    if (open?.by === 'tag' && !open.isBySighting) close(last.at + LASTS_MS);
    last = undefined;
  };
  const signOn = (at: number, driverId: number | undefined, by: SignOnWay, isBySighting = false) => {
    if (open !== undefined && open.driverId === driverId) {
      if (by === 'hand') open.by = 'hand';
      // An explicit sign-on stays when the tag is no longer received.
      open.isBySighting &&= isBySighting;
      return;
    }
    close(at);
    if (driverId !== undefined) open = { driverId, start: at, by, isBySighting };
  };
  const read = (reading: TagReading) => {
    if (last?.tag !== reading.tag) signOn(reading.at, isNoTag(reading.tag) ? undefined : driverOf(reading.tag), 'tag');
    last = reading;
  };
  const events = [
    ...byHand.map(({ at, driverId }) => ({ at, act: () => signOn(at, driverId ?? undefined, 'hand') })),
    ...readings.map((reading) => ({ at: reading.at, act: () => read(reading) })),
    ...oneAtATime(sightings).flatMap(({ driverId, from, to }) => [
      { at: from, act: () => signOn(from, driverId, 'tag', true) },
      { at: to, act: () => open?.isBySighting && open.driverId === driverId && close(to) },
    ]),
  ];
  // At the same time, manual sign-ons come first.
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

/** Of several tags received at once, the first counts until it is no longer received: the others are passengers. */
function oneAtATime(sightings: readonly SightedStretch[]): SightedStretch[] {
  const counted: SightedStretch[] = [];
  for (const { driverId, from, to } of sightings.toSorted((a, b) => a.from - b.from)) {
    const lasts = to + SIGHTING_MS;
    const before = counted.at(-1);
    if (before === undefined || before.to < from) counted.push({ driverId, from, to: lasts });
    else if (lasts > before.to) {
      if (before.driverId === driverId) counted[counted.length - 1] = { ...before, to: lasts };
      else counted.push({ driverId, from: before.to, to: lasts });
    }
  }
  return counted;
}

/** @param times of sightings of a driver's tag, in order; the first and the last of a series are sufficient */
export function stretchesOf(driverId: number, times: readonly number[]): SightedStretch[] {
  const stretches: SightedStretch[] = [];
  for (const at of times) {
    const before = stretches.at(-1);
    if (before !== undefined && at - before.to <= SIGHTING_MS) stretches[stretches.length - 1] = { ...before, to: at };
    else stretches.push({ driverId, from: at, to: at });
  }
  return stretches;
}

/** The driver of most of a time range; undefined if no driver was signed on. */
export function driverIn(shifts: readonly Shift[], start: number, end: number): number | undefined {
  const shares = new Map<number, number>();
  for (const shift of shifts) {
    const share = Math.min(end, shift.end ?? Number.POSITIVE_INFINITY) - Math.max(start, shift.start);
    // A range without a length has a driver too.
    if (share > 0 || (share === 0 && start === end))
      shares.set(shift.driverId, (shares.get(shift.driverId) ?? 0) + share);
  }
  let [found, most]: [number | undefined, number] = [undefined, -1];
  for (const [driverId, share] of shares) if (share > most) [found, most] = [driverId, share];
  return found;
}
