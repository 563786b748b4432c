import type { NormalizedReport, Receipted } from './normalized-report.ts';
import type { PackedPoint } from './packed-point.ts';

/**
 * Reports and receipts as they go to the thread that writes, and back. A report that brings positions alone, as nearly all
 * do, goes as a list: the names of its many empty fields would take three times as long as the positions.
 */

type PositionsAlone = readonly [
  deviceId: number,
  keyHash: string | undefined,
  now: number,
  weight: number,
  points: readonly PackedPoint[],
];

export type HandedReport = PositionsAlone | NormalizedReport;

export function handOver(report: NormalizedReport): HandedReport {
  const { deviceId, keyHash, now, weight, points } = report;
  return hasPositionsAlone(report) ? [deviceId, keyHash, now, weight, points] : report;
}

const hasPositionsAlone = (report: NormalizedReport) =>
  !report.isReleased &&
  !report.isImported &&
  report.readings.length +
    report.gatewayReadings.length +
    report.messages.length +
    report.quarantined.length +
    report.received.length ===
    0;

const NONE: readonly never[] = [];

/** Without a receipt, also where the batch is tried again after one of its reports has failed. */
export function takeOver(handed: HandedReport): NormalizedReport {
  if (!isList(handed)) return { ...handed, receipt: undefined };
  const [deviceId, keyHash, now, weight, points] = handed;
  return {
    deviceId,
    keyHash,
    now,
    isReleased: false,
    isImported: false,
    importPart: undefined,
    weight,
    points,
    readings: NONE,
    gatewayReadings: NONE,
    messages: NONE,
    quarantined: NONE,
    received: NONE,
    receipt: undefined,
  };
}

const isList = (handed: HandedReport): handed is PositionsAlone => Array.isArray(handed);

export type HandedReceipt =
  | readonly [accepted: number, duplicates: number, hasPending: boolean, expired?: number]
  | Extract<Receipted, string | undefined>;

export function handBack(receipt: Receipted): HandedReceipt {
  if (typeof receipt !== 'object') return receipt;
  const { accepted, duplicates, hasPending, expired } = receipt;
  return expired === undefined ? [accepted, duplicates, hasPending] : [accepted, duplicates, hasPending, expired];
}

export function receiptFrom(handed: HandedReceipt): Receipted {
  if (typeof handed !== 'object') return handed;
  const [accepted, duplicates, hasPending, expired] = handed;
  return { accepted, duplicates, hasPending, ...(expired !== undefined && { expired }) };
}
