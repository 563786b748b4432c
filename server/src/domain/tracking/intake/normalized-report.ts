import type { Report } from '../../../reports.ts';
import { type NormalReading, normalizePoint, normalizeReading } from './normalize.ts';
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
  /** The number of its items: roughly what it costs to store. */
  readonly weight: number;
  readonly points: readonly PackedPoint[];
  readonly readings: readonly NormalReading[];
  readonly gatewayReadings: readonly NormalReading[];
  readonly messages: readonly { message: string | null; config: string | null }[];
  readonly quarantined: readonly (QuarantinedItem & { report: unknown })[];
  /** Undefined until the report is stored, and where it is refused. */
  receipt: ReportReceipt | undefined;
}

export interface ReportReceipt {
  readonly accepted: number;
  readonly duplicates: number;
  /** Whether messages or settings wait for the device. */
  readonly hasPending: boolean;
}

export function normalizeReport(deviceId: number, report: Report, now: number, keyHash?: string): NormalizedReport {
  const { unreadable = [] } = report;
  const quarantined: (QuarantinedItem & { report: unknown })[] = unreadable.map(({ item, reason }, index) => ({
    list: 'unreadable',
    index,
    reason,
    report: item,
  }));
  const sound = <In, Out extends object>(
    list: QuarantinedItem['list'],
    items: readonly In[],
    normal: (item: In, now: number) => Out | string,
  ): Out[] => {
    const normalized: Out[] = [];
    for (const [index, item] of items.entries()) {
      const one = normal(item, now);
      if (typeof one === 'string') quarantined.push({ list, index, reason: one, report: item });
      else normalized.push(one);
    }
    return normalized;
  };
  return {
    deviceId,
    keyHash,
    now,
    weight: 1 + report.points.length + report.readings.length + report.gatewayReadings.length + unreadable.length,
    points: sound('points', report.points, normalizePoint),
    readings: sound('readings', report.readings, normalizeReading),
    gatewayReadings: sound('gatewayReadings', report.gatewayReadings, normalizeReading),
    messages: sound('messages', report.messages, ({ message, config }) =>
      message || config ? { message: message ?? null, config: config ?? null } : 'type or value is missing',
    ),
    quarantined,
    receipt: undefined,
  };
}

const MAX_REPORT = 10_000;

/** A quarantined item as text that both engines can store. */
export function quarantinedText(report: unknown): string {
  const text = JSON.stringify(report) ?? 'null';
  return text.length <= MAX_REPORT && text.isWellFormed() && !text.includes('\\u0000')
    ? text
    : JSON.stringify({ cut: text.slice(0, 1000).toWellFormed().replaceAll('\\u0000', '') });
}
