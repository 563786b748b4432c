import type { Kysely } from 'kysely';
import { cutOf, type KeptDays } from '../../positions/segments.ts';
import type { ReservedIds } from '../../positions/write.ts';
import type { Tables } from '../../schema/tables.ts';
import { readingInput } from '../evaluate/inputs.ts';
import type { DeviceBatch } from '../report/device-batch.ts';
import { type NormalizedReport, quarantinedText } from '../report/normalize.ts';
import type { AppendedPosition } from '../report/position.ts';
import { messageEvent } from '../state/live-events.ts';
import type { LockedReportingState } from '../state/lock-state.ts';
import { type Appended, appendPositions, appendReadings } from './append-rows.ts';
import { onlyNew } from './keep-once.ts';
import { latest } from './last-connection.ts';
import { measuredOnce } from './sensors.ts';

type Tx = Kysely<Tables>;

interface Appending {
  /** How old a fix may be and still be evaluated. */
  readonly windowMs: number;
  /** Which device a gateway's reading is about. */
  readonly sensedBy: (gatewayId: number, sensor: string | null) => number | null;
  readonly kept: KeptDays;
  /** Ids for new positions, if rows do not get ids on insertion. */
  readonly ids: ReservedIds | undefined;
}

/** Stores the items of reports, collects the inputs to evaluate for each device, and gives each report its receipt. */
export async function appendReports(
  tx: Tx,
  received: readonly NormalizedReport[],
  devices: ReadonlyMap<number, DeviceBatch>,
  { windowMs, sensedBy, kept, ids }: Appending,
): Promise<void> {
  const found = await onlyNew(tx, received);
  const kepts = found.map(({ report }) => withoutExpired(report, devices.get(report.deviceId)!.stateRow, kept));
  const reports = kepts.map(({ report }) => report);
  const from = ({ deviceId, now }: NormalizedReport) => ({
    deviceId,
    now,
    newest: devices.get(deviceId)!.stateRow.newestAt,
  });
  const points = await appendPositions(
    tx,
    reports.map((report) => ({ ...from(report), items: report.points, tooOld: report.now - windowMs })),
    ids,
  );
  const own = await appendReadings(
    tx,
    'deviceId',
    reports.map((report) => ({
      ...from(report),
      items: report.readings,
      placeOf: () => ({ gatewayId: null, deviceId: report.deviceId, datapointId: null }),
    })),
  );
  const recent = await recentFixes(tx, reports, points);
  const sensed = await measuredOnce(tx, reports, sensedBy);
  const ofOthers = await appendReadings(
    tx,
    'gatewayId',
    reports.map((report, index) => ({
      ...from(report),
      items: sensed[index]!,
      placeOf: ({ sensorDeviceId, timestamp }) => ({
        gatewayId: report.deviceId,
        deviceId: sensedBy(report.deviceId, sensorDeviceId),
        datapointId: isNear(recent[index], timestamp) ? recent[index]!.id : null,
      }),
    })),
  );
  for (const [index, report] of reports.entries()) {
    const device = devices.get(report.deviceId)!;
    const stored = points[index]!.stored;
    const readings = [...own[index]!.stored, ...ofOthers[index]!.stored];
    if (report.messages.length + report.quarantined.length > 0) await appendOthers(tx, report, device);
    if (!report.isReleased) device.hasReported = true;
    for (const point of stored) {
      device.points.push(point);
      device.stateRow.newestAt = Math.max(device.stateRow.newestAt, point.timestamp);
    }
    for (const reading of readings) {
      device.readings.push(reading);
      device.stateRow.newestAt = Math.max(device.stateRow.newestAt, reading.timestamp);
      if (reading.timestamp < report.now - windowMs) continue;
      const about = devices.get(reading.deviceId ?? report.deviceId) ?? device;
      about.inputs.push(readingInput(reading));
    }
    received[index]!.receipt = {
      accepted: stored.length + readings.length + report.messages.length,
      duplicates:
        found[index]!.known + points[index]!.duplicates + own[index]!.duplicates + ofOthers[index]!.duplicates,
      ...(kepts[index]!.expired > 0 && { expired: kepts[index]!.expired }),
      hasPending: device.stateRow.hasPending,
    };
  }
}

async function appendOthers(
  tx: Tx,
  { deviceId, now, messages, quarantined }: NormalizedReport,
  device: DeviceBatch,
): Promise<void> {
  for (const { message, config } of messages) {
    const row = { message, config, mobileTerminated: 0, created: now, sent: null, deviceId, userId: null, state: null };
    const { id } = await tx.insertInto('messages').values(row).returning('id').executeTakeFirstOrThrow();
    device.inputs.push({ kind: 'message', at: now, id });
    device.messages.push(messageEvent(deviceId, { id, ...row }));
  }
  for (const { list, reason, code, report, timestamp } of quarantined) {
    await tx
      .insertInto('quarantine')
      .values({ deviceId, list, reason, reasonCode: code, report: quarantinedText(report), created: now, timestamp })
      .execute();
  }
}

/** For each report with gateway readings where the gateway was: the newest fix of the report, or else of the device. */
async function recentFixes(
  tx: Tx,
  reports: readonly NormalizedReport[],
  points: readonly Appended<AppendedPosition>[],
): Promise<(RecentFix | undefined)[]> {
  const found: (RecentFix | undefined)[] = [];
  for (const [index, { deviceId, now, gatewayReadings }] of reports.entries()) {
    if (gatewayReadings.length === 0) continue;
    const own = latest(points[index]!.stored.filter(({ locationLat }) => locationLat !== null));
    found[index] = own ?? (await recentFix(tx, deviceId, now));
  }
  return found;
}

function recentFix(tx: Tx, deviceId: number, now: number): Promise<RecentFix | undefined> {
  return tx
    .selectFrom('points')
    .select(['id', 'timestamp'])
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>', now - RECENT_MS)
    .where('locationLat', 'is not', null)
    .orderBy('timestamp', 'desc')
    .limit(1)
    .executeTakeFirst();
}

interface RecentFix {
  readonly id: number;
  readonly timestamp: number;
}

const RECENT_MS = 600_000;

const isNear = (fix: RecentFix | undefined, at: number) =>
  fix !== undefined && Math.abs(at - fix.timestamp) <= RECENT_MS;

interface KeptOfReport<Items> {
  readonly report: Items;
  /** How many items were left out. */
  readonly expired: number;
}

type Keeper = Pick<LockedReportingState, 'keepDays' | 'forgottenUntil'>;

/**
 * Leaves out of a report what is older than what is stored of its device: it would be stored only to be forgotten. What was
 * forgotten does not come back either, though a setting allows more since.
 */
export function withoutExpired<Items extends Pick<NormalizedReport, 'now' | 'points' | 'readings' | 'gatewayReadings'>>(
  report: Items,
  { keepDays, forgottenUntil }: Keeper,
  { positions, readings }: KeptDays,
): KeptOfReport<Items> {
  // Mostly nothing is ever forgotten.
  if (positions === 0 && readings === 0 && keepDays === null && forgottenUntil === null) return { report, expired: 0 };
  const { now } = report;
  const positionsFrom = Math.max(cutOf(now, positions, keepDays) ?? 0, forgottenUntil ?? 0);
  const readingsFrom = cutOf(now, readings, keepDays) ?? 0;
  const kept = {
    points: report.points.filter(({ timestamp }) => timestamp >= positionsFrom),
    readings: report.readings.filter(({ timestamp }) => timestamp >= readingsFrom),
    gatewayReadings: report.gatewayReadings.filter(({ timestamp }) => timestamp >= readingsFrom),
  };
  const lost = (list: keyof typeof kept) => report[list].length - kept[list].length;
  const expired = lost('points') + lost('readings') + lost('gatewayReadings');
  return expired === 0 ? { report, expired } : { report: { ...report, ...kept }, expired };
}
