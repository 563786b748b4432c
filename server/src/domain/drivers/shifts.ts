import { SIGN_ON_HOURS, type SIGN_ON_WAYS } from '@trackway/contract/resources/fleet-tools/driver.ts';

/** Who drove when, by what signed drivers on and off. Pure: worked out whenever it is read, so data may come late. */

/** A tag as it is compared: `a1-b2 c3` is `A1B2C3`. */
export const spelled = (tag: string): string => tag.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** A tag of zeros alone, or none, is no tag: the reader says that nobody is there. */
export const isNoTag = (tag: string): boolean => /^0*$/.test(tag);

export const LASTS_MS = SIGN_ON_HOURS * 3_600_000;

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
 * @param now what lies later is not known yet
 */
export function shiftsOf(
  byHand: readonly SignOnByHand[],
  readings: readonly TagReading[],
  driverOf: (tag: string) => number | undefined,
  now: number,
): Shift[] {
  const shifts: Shift[] = [];
  let open: { driverId: number; start: number; by: SignOnWay } | undefined;
  let last: TagReading | undefined;
  const close = (at: number) => {
    if (open !== undefined && at > open.start) shifts.push({ ...open, end: at });
    open = undefined;
  };
  /** By the time of this moment, a tag that was not read for long signs nobody on. */
  const lapse = (at: number) => {
    if (last === undefined || at - last.at <= LASTS_MS) return;
    if (open?.by === 'tag') close(last.at + LASTS_MS);
    last = undefined;
  };
  const signOn = (at: number, driverId: number | undefined, by: SignOnWay) => {
    if (open !== undefined && open.driverId === driverId) {
      if (by === 'hand') open.by = 'hand';
      return;
    }
    close(at);
    if (driverId !== undefined) open = { driverId, start: at, by };
  };
  let [hand, tag] = [0, 0];
  while (hand < byHand.length || tag < readings.length) {
    const isHand = hand < byHand.length && (tag >= readings.length || byHand[hand]!.at <= readings[tag]!.at);
    if (isHand) {
      const { at, driverId } = byHand[hand++]!;
      lapse(at);
      signOn(at, driverId ?? undefined, 'hand');
      continue;
    }
    const reading = readings[tag++]!;
    lapse(reading.at);
    if (last?.tag !== reading.tag) signOn(reading.at, isNoTag(reading.tag) ? undefined : driverOf(reading.tag), 'tag');
    last = reading;
  }
  lapse(now);
  return open === undefined ? shifts : [...shifts, { ...(open as Omit<Shift, 'end'>), end: null }];
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
