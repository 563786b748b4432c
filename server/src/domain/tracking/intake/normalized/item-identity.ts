import type { Report } from '../../../../reports.ts';
import { shortHash } from '../../../positions/identity.ts';

/**
 * By what an item is recognised that is sent again, where its own row would not tell: a message, an item without a time,
 * a quarantined item. One that bears a time or a number of its own is recognised by what it says, however reports are put
 * together. One that bears neither is recognised by its place in a report of which every word is the same.
 */
export interface ReceivedItem {
  readonly list: 'points' | 'readings' | 'gatewayReadings' | 'messages' | 'quarantined';
  /** Its place in that list of the normalized report. */
  readonly index: number;
  readonly hash: string;
  /** Until when the same is taken for the one that was received. */
  readonly until: number;
}

const MINUTE_MS = 60_000;
/** A report that was not acknowledged may wait for long where there is no network. */
const RESENT_MS = 30 * 24 * 60 * MINUTE_MS;
/**
 * Where nothing in a report says when or which it is, the same words may also be said anew: a button that is pressed
 * again, a value that is measured again. Soon after the first they are taken for a repeat.
 */
const BARE_RESENT_MS = { message: 60 * MINUTE_MS, value: 2 * MINUTE_MS };

export class ItemIdentities {
  readonly found: ReceivedItem[] = [];
  readonly #report: Report;
  readonly #now: number;
  #whole: string | undefined;
  #isBare: boolean | undefined;

  constructor(report: Report, now: number) {
    this.#report = report;
    this.#now = now;
  }

  /** An item that is known by what it says: its time or its number is part of it. */
  ownIdentity(list: ReceivedItem['list'], index: number, said: unknown): void {
    this.#add(list, index, JSON.stringify([list, said]), RESENT_MS);
  }

  /** @param place where in the report it came, as it was sent */
  placeInReport(list: ReceivedItem['list'], index: number, place: string): void {
    this.#whole ??= shortHash(this.#report.asSent?.() ?? JSON.stringify(this.#report, withoutAssumedTime));
    this.#isBare ??= isBare(this.#report);
    const bareMs = list === 'messages' || list === 'quarantined' ? BARE_RESENT_MS.message : BARE_RESENT_MS.value;
    this.#add(list, index, `${this.#whole} ${place}`, this.#isBare ? bareMs : RESENT_MS);
  }

  #add(list: ReceivedItem['list'], index: number, identity: string, forMs: number): void {
    this.found.push({ list, index, hash: shortHash(identity), until: this.#now + forMs });
  }
}

/** Whether an item bears a time of its own that can be read. */
export const hasOwnTime = ({ timestamp, isTimeAssumed }: { timestamp?: number; isTimeAssumed?: boolean }) =>
  timestamp !== undefined && Number.isFinite(timestamp) && !isTimeAssumed;

/** Whether nothing in a report says when or which it is. */
const isBare = ({ id, points, readings, gatewayReadings, messages }: Report) =>
  id === undefined &&
  ![...points, ...readings, ...gatewayReadings, ...messages].some(hasOwnTime) &&
  ![...points, ...readings, ...gatewayReadings, ...messages].some(({ correlationId }) => correlationId !== undefined);

function withoutAssumedTime(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('isTimeAssumed' in value) || !value.isTimeAssumed) return value;
  return { ...value, timestamp: undefined, isTimeAssumed: undefined };
}
