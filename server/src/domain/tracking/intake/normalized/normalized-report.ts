import type { ImportPart, Report } from '../../../../reports.ts';
import { hasOwnTime, ItemIdentities, type ReceivedItem } from './item-identity.ts';
import { CLOCK_IN_DOUBT, type NormalReading, normalizePoint, normalizeReading } from './normalize.ts';
import type { PackedPoint } from './packed-point.ts';

export interface QuarantinedItem {
  readonly list: 'points' | 'readings' | 'gatewayReadings' | 'messages' | 'unreadable';
  readonly index: number;
  readonly reason: string;
}

/** A report as it goes into the store: what is sound, what is quarantined, and what of it turned out to be new. */
export interface NormalizedReport {
  readonly deviceId: number;
  /** The hash of the key that the device used, where it used one. */
  readonly keyHash: string | undefined;
  readonly now: number;
  /** Whether it was released from quarantine, so that nothing was heard of the device. */
  readonly isReleased: boolean;
  /** Whether it is history: judged whatever its age, and told nobody. */
  readonly isImported: boolean;
  /** The import that it is part of. */
  readonly importPart?: ImportPart;
  /** The number of its items: roughly what it costs to store. */
  readonly weight: number;
  readonly points: readonly PackedPoint[];
  readonly readings: readonly NormalReading[];
  readonly gatewayReadings: readonly NormalReading[];
  readonly messages: readonly { message: string | null; config: string | null }[];
  readonly quarantined: readonly (QuarantinedItem & { report: unknown; timestamp: number | null })[];
  /** The identities of items whose own rows would not tell that they were received before. */
  readonly received: readonly ReceivedItem[];
  receipt: Receipted;
}

/** Undefined until the report is stored, and where the device is gone or has another key. */
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
  /** Whether most devices disagree with the server about the time. */
  readonly isClockInDoubt?: boolean;
}

/** The items of a report by their places in it: in the form that is stored, or why they are not. */
export interface NormalItems {
  readonly points: readonly (PackedPoint | string)[];
  readonly readings: readonly (NormalReading | string)[];
  readonly gatewayReadings: readonly (NormalReading | string)[];
}

/** @param ready what of it is normalized already */
export function normalizeReport(
  deviceId: number,
  report: Report,
  { now, keyHash, isClockInDoubt = false }: ReportReception,
  ready: Partial<NormalItems> = {},
): NormalizedReport {
  const { unreadable = [] } = report;
  const identities = new ItemIdentities(report, now);
  const quarantined: NormalizedReport['quarantined'][number][] = [];
  const quarantine = (list: QuarantinedItem['list'], index: number, reason: string, item: unknown) => {
    const at = quarantined.length;
    const timestamp = isTimed(item) && hasOwnTime(item) ? item.timestamp! : null;
    const why = isClockInDoubt && reason === 'more than 5 minutes ahead of the server' ? CLOCK_IN_DOUBT : reason;
    quarantined.push({ list, index, reason: why, report: item, timestamp });
    if (timestamp === null) identities.placeInReport('quarantined', at, `${list} ${index}`);
    else identities.ownIdentity('quarantined', at, [list, item]);
  };
  for (const [index, { item, reason }] of unreadable.entries()) quarantine('unreadable', index, reason, item);
  const sound = <In extends { readonly isTimeAssumed?: boolean }, Out extends object>(
    list: 'points' | 'readings' | 'gatewayReadings',
    items: readonly In[],
    done: readonly (Out | string)[] | undefined,
    normal: (item: In, now: number) => Out | string,
  ): Out[] => {
    const normalized: Out[] = [];
    for (const [index, item] of items.entries()) {
      const one = done?.[index] ?? normal(item, now);
      if (typeof one === 'string') quarantine(list, index, one, item);
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
      quarantine('messages', index, 'type or value is missing', sent);
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
    now,
    isReleased: report.isReleased === true,
    isImported: report.isImported === true,
    importPart: report.importPart,
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
