import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { isStorable } from '@trackway/contract/values.ts';
import type { QuarantineCode, Report, ReportedPoint, ReportedReading } from '../../../reports.ts';
import { shortHash } from '../../positions/identity.ts';
import { readingHash } from '../../positions/packed-readings.ts';
import { hasStorableTexts, type Position, positionOf } from './position.ts';

export interface QuarantinedItem {
  readonly list: 'points' | 'readings' | 'gatewayReadings' | 'messages' | 'unreadable';
  readonly index: number;
  readonly reason: string;
  /** Absent if the reason has none. */
  readonly code?: QuarantineCode;
}

/** A report as it goes into the store: what is sound, what is quarantined, and what of it turned out to be new. */
export interface NormalizedReport {
  readonly deviceId: number;
  /** The hash of the key that the device used, where it used one. */
  readonly keyHash: string | undefined;
  /** The serial number or IMEI that identified the device without its key, where that must still be the device's. */
  readonly identifier: string | undefined;
  readonly now: number;
  /** Whether it was released from quarantine, so that the device did not report now. */
  readonly isReleased: boolean;
  /** The number of its items: roughly what it costs to store. */
  readonly weight: number;
  readonly points: readonly Position[];
  readonly readings: readonly NormalReading[];
  readonly gatewayReadings: readonly NormalReading[];
  readonly messages: readonly { message: string | null; config: string | null }[];
  readonly quarantined: readonly (QuarantinedItem & { report: unknown; timestamp: number | null })[];
  /** The identities of items whose rows do not show that they were received before. */
  readonly received: readonly ReceivedItem[];
  receipt: Receipted;
}

/** Undefined until the report is stored, and where the device is gone or has another identity. */
export type Receipted = ReportReceipt | 'inactive' | undefined;

export interface ReportReceipt {
  readonly accepted: number;
  readonly duplicates: number;
  /** The number of items that were not stored since they are older than what is kept; absent where there are none. */
  readonly expired?: number;
  /** Whether messages or settings wait for the device. */
  readonly hasPending: boolean;
}

export interface ReportReception {
  readonly now: number;
  /** The hash of the key that the device used, where it used one. */
  readonly keyHash?: string;
  /** The serial number or IMEI that identified the device without its key. */
  readonly identifier?: string;
  /** Whether most devices disagree with the server about the time. */
  readonly isClockInDoubt?: boolean;
}

/** The items of a report by their places in it: in the form that is stored, or why they are not. */
interface NormalItems {
  readonly points: readonly (Position | QuarantineCode)[];
  readonly readings: readonly (NormalReading | QuarantineCode)[];
  readonly gatewayReadings: readonly (NormalReading | QuarantineCode)[];
}

/** @param ready what of it is normalized already */
export function normalizeReport(
  deviceId: number,
  report: Report,
  { now, keyHash, identifier, isClockInDoubt = false }: ReportReception,
  ready: Partial<NormalItems> = {},
): NormalizedReport {
  const { unreadable = [] } = report;
  const identities = new ItemIdentities(report, now);
  const quarantined: NormalizedReport['quarantined'][number][] = [];
  const quarantine = (
    list: QuarantinedItem['list'],
    index: number,
    { reason, code }: Pick<QuarantinedItem, 'reason' | 'code'>,
    item: unknown,
  ) => {
    const at = quarantined.length;
    const timestamp = isTimed(item) && hasOwnTime(item) ? item.timestamp! : null;
    quarantined.push({ list, index, reason, code, report: item, timestamp });
    if (timestamp === null) identities.placeInReport('quarantined', at, `${list} ${index}`);
    else identities.ownIdentity('quarantined', at, [list, item]);
  };
  const coded = (code: QuarantineCode) => {
    const why = isClockInDoubt && code === 'ahead' ? 'clockInDoubt' : code;
    return { reason: quarantineReason(why), code: why };
  };
  for (const [index, { item, reason, code }] of unreadable.entries())
    quarantine('unreadable', index, code === undefined ? { reason } : coded(code), item);
  const sound = <In extends { readonly isTimeAssumed?: boolean }, Out extends object>(
    list: 'points' | 'readings' | 'gatewayReadings',
    items: readonly In[],
    done: readonly (Out | QuarantineCode)[] | undefined,
    normal: (item: In, now: number) => Out | QuarantineCode,
  ): Out[] => {
    const normalized: Out[] = [];
    for (const [index, item] of items.entries()) {
      const one = done?.[index] ?? normal(item, now);
      if (typeof one === 'string') quarantine(list, index, coded(one), item);
      else {
        if (item.isTimeAssumed) identities.placeInReport(list, normalized.length, `${list} ${index}`);
        normalized.push(one);
      }
    }
    return normalized;
  };
  const messages: NormalizedReport['messages'][number][] = [];
  for (const [index, sent] of report.messages.entries()) {
    const { message = null, config = null, timestamp, correlationId } = sent;
    if (!message && !config) {
      quarantine('messages', index, coded('incomplete'), sent);
      continue;
    }
    if (timestamp === undefined && correlationId === undefined)
      identities.placeInReport('messages', messages.length, `messages ${index}`);
    else identities.ownIdentity('messages', messages.length, [message, config, timestamp, correlationId]);
    messages.push({ message: message || null, config: config || null });
  }
  return {
    deviceId,
    keyHash,
    identifier,
    now,
    isReleased: report.isReleased === true,
    weight: weightOf(report),
    points: sound('points', report.points, ready.points, normalizePoint),
    readings: sound('readings', report.readings, ready.readings, normalizeReading),
    gatewayReadings: sound('gatewayReadings', report.gatewayReadings, ready.gatewayReadings, normalizeReading),
    messages,
    quarantined,
    received: identities.found,
    receipt: undefined,
  };
}

export const weightOf = ({ points, readings, gatewayReadings, messages, unreadable = [] }: Report) =>
  1 + points.length + readings.length + gatewayReadings.length + messages.length + unreadable.length;

const isTimed = (item: unknown): item is { timestamp?: number; isTimeAssumed?: boolean } =>
  typeof item === 'object' && item !== null && 'timestamp' in item && typeof item.timestamp === 'number';

const MAX_REPORT = 10_000;

/** A quarantined item as text that both engines can store. */
export function quarantinedText(report: unknown): string {
  const text = JSON.stringify(report) ?? 'null';
  return text.length <= MAX_REPORT && text.isWellFormed() && !text.includes('\\u0000')
    ? text
    : JSON.stringify({ cut: text.slice(0, 1000).toWellFormed().replaceAll('\\u0000', '') });
}

/** So many items are normalized before this thread lets other work run: about a millisecond. */
const STEP_ITEMS = 250;

/** Whether it takes more than one step. */
export const isLarge = (report: Report) => weightOf(report) > STEP_ITEMS;

/** Normalizes the items of a large report step by step. */
export async function normalItems({ points, readings, gatewayReadings }: Report, now: number): Promise<NormalItems> {
  return {
    points: await inSteps(points, (point) => normalizePoint(point, now)),
    readings: await inSteps(readings, (reading) => normalizeReading(reading, now)),
    gatewayReadings: await inSteps(gatewayReadings, (reading) => normalizeReading(reading, now)),
  };
}

async function inSteps<In, Out>(items: readonly In[], normal: (item: In) => Out): Promise<Out[]> {
  const done: Out[] = [];
  for (const item of items) {
    if (done.length % STEP_ITEMS === STEP_ITEMS - 1) await new Promise((resolve) => setImmediate(resolve));
    done.push(normal(item));
  }
  return done;
}

/** From what a device claims to what is stored: bounds, identity, and quarantine of what cannot be right. */

const YEAR_2000 = Date.UTC(2000, 0, 1);
const AHEAD_MS = 5 * 60_000;

/** The sentence that the API promises. */
export const quarantineReason = (code: QuarantineCode): string => messagesIn('en').quarantine.reasons[code];

export function normalizePoint(point: ReportedPoint, now: number): Position | QuarantineCode {
  const wrongTime = timeProblem(point.timestamp, now);
  if (wrongTime) return wrongTime;
  const { location } = point;
  if (location !== undefined && !isPlace(location)) return 'coordinates';
  return hasStorableTexts(point) ? positionOf(point) : 'unstorable';
}

export interface NormalReading {
  readonly timestamp: number;
  readonly type: string;
  readonly value: string;
  readonly rssi: number | null;
  readonly meta: string | null;
  readonly correlationId: string | null;
  readonly sensorDeviceId: string | null;
  readonly hash: string;
}

export function normalizeReading(reading: ReportedReading, now: number): NormalReading | QuarantineCode {
  const wrongTime = timeProblem(reading.timestamp, now);
  if (wrongTime) return wrongTime;
  const { type, value, meta, sensorDeviceId, correlationId } = reading;
  if (typeof type !== 'string' || type.trim() === '' || value === undefined || value === null) return 'incomplete';
  if (![type, value, meta, sensorDeviceId, correlationId].every((part) => part === undefined || isStorable(part))) {
    return 'unstorable';
  }
  const identity = {
    timestamp: reading.timestamp!,
    type: type.slice(0, 100),
    value: JSON.stringify(value),
    sensorDeviceId: sensorDeviceId?.slice(0, 200) ?? null,
  };
  return {
    ...identity,
    rssi: within(reading.rssi, -1000, 1000),
    meta: meta ? JSON.stringify(meta) : null,
    correlationId: correlationId?.slice(0, 200) ?? null,
    hash: readingHash(identity),
  };
}

function timeProblem(timestamp: number | undefined, now: number): QuarantineCode | undefined {
  if (timestamp === undefined || !Number.isFinite(timestamp)) return 'noTime';
  if (timestamp < YEAR_2000) return 'before2000';
  return timestamp > now + AHEAD_MS ? 'ahead' : undefined;
}

const isPlace = ({ lat, lng }: { lat: number; lng: number }) =>
  typeof lat === 'number' && typeof lng === 'number' && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;

/** A secondary value that cannot be right is left out; the reading itself is still worth storing. */
const within = (value: number | undefined, min: number, max: number) =>
  typeof value === 'number' && value >= min && value <= max ? value : null;

/**
 * The identity of an item that may be sent again, if its row is not enough: a message, an item without a time, a
 * quarantined item. An item with its own time or number is recognised by its content, in any report. An item without
 * both is recognised by its index in an identical report.
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
 * Where a report has neither a time nor a number, equal content may also be new: a button that is pressed
 * again, a value that is measured again. Soon after the first they are taken for a repeat.
 */
const BARE_RESENT_MS = { message: 60 * MINUTE_MS, value: 2 * MINUTE_MS };

class ItemIdentities {
  readonly found: ReceivedItem[] = [];
  readonly #report: Report;
  readonly #now: number;
  #whole: string | undefined;
  #isBare: boolean | undefined;

  constructor(report: Report, now: number) {
    this.#report = report;
    this.#now = now;
  }

  /** An item that is identified by its content: its time or its number is part of it. */
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

/** Whether a report has neither a time nor a number. */
const isBare = ({ id, points, readings, gatewayReadings, messages }: Report) =>
  id === undefined &&
  ![...points, ...readings, ...gatewayReadings, ...messages].some(hasOwnTime) &&
  ![...points, ...readings, ...gatewayReadings, ...messages].some(({ correlationId }) => correlationId !== undefined);

function withoutAssumedTime(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('isTimeAssumed' in value) || !value.isTimeAssumed) return value;
  return { ...value, timestamp: undefined, isTimeAssumed: undefined };
}
