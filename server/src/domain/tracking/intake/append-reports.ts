import type { Kysely } from 'kysely';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { KeptDays } from '../../positions/kept-days.ts';
import type { ReservedIds } from '../../positions/reserve-ids.ts';
import { startOfDay } from '../../positions/segments.ts';
import type { Tables } from '../../schema/tables.ts';
import { readingInput } from '../judge/to-fix.ts';
import { countImported } from '../state/count-imported.ts';
import { messageEvent } from '../state/live-events.ts';
import { type Appended, type AppendedPoint, appendPoints, appendReadings } from './append-rows.ts';
import type { DeviceBatch } from './device-batch.ts';
import { withoutExpired } from './expired.ts';
import { onlyNew } from './keep-once.ts';
import { latest } from './last-connection.ts';
import { type NormalizedReport, quarantinedText } from './normalized/normalized-report.ts';
import { CELL } from './normalized/packed-point.ts';

type Tx = Kysely<Tables>;

interface Appending {
  /** How old a fix may be and still be judged. */
  readonly windowMs: number;
  /** Which device a gateway's reading is about. */
  readonly sensedBy: (gatewayId: number, sensor: string | null) => number | null;
  /** Imported positions that are older than this are packed at once; undefined where none are. */
  readonly packAfterMs: number | undefined;
  readonly kept: KeptDays;
  /** Ids for new positions, where rows do not get theirs as they are written. */
  readonly ids: ReservedIds | undefined;
}

/** Stores the items of reports, collects for each device what is to be judged, and gives each report its receipt. */
export async function appendReports(
  tx: Tx,
  storeKind: StoreKind,
  received: readonly NormalizedReport[],
  devices: ReadonlyMap<number, DeviceBatch>,
  { windowMs, sensedBy, packAfterMs, kept, ids }: Appending,
): Promise<void> {
  const found = await onlyNew(tx, storeKind, received);
  const kepts = found.map(({ report }) => withoutExpired(report, devices.get(report.deviceId)!.stateRow, kept));
  const reports = kepts.map(({ report }) => report);
  const from = ({ deviceId, now }: NormalizedReport) => ({
    deviceId,
    now,
    newest: devices.get(deviceId)!.stateRow.newest,
  });
  const tooOldFor = ({ now, isImported }: NormalizedReport) => (isImported ? Number.NEGATIVE_INFINITY : now - windowMs);
  const packBefore = ({ now, isImported }: NormalizedReport) =>
    isImported && packAfterMs !== undefined ? startOfDay(now - packAfterMs) : Number.NEGATIVE_INFINITY;
  const points = await appendPoints(
    tx,
    storeKind,
    reports.map((report) => ({
      ...from(report),
      items: report.points,
      tooOld: tooOldFor(report),
      packBefore: packBefore(report),
    })),
    ids,
  );
  const own = await appendReadings(
    tx,
    storeKind,
    'deviceId',
    reports.map((report) => ({
      ...from(report),
      items: report.readings,
      placeOf: () => ({ gatewayId: null, deviceId: report.deviceId, datapointId: null }),
    })),
  );
  const recent = await recentFixes(tx, reports, points);
  const ofOthers = await appendReadings(
    tx,
    storeKind,
    'gatewayId',
    reports.map((report, index) => ({
      ...from(report),
      items: report.gatewayReadings,
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
    if (report.messages.length + report.quarantined.length > 0) await appendRest(tx, report, device);
    const { toPack } = points[index]!;
    if (toPack !== undefined) device.toPack.push(toPack);
    if (report.isImported) noteImport(device, stored);
    else if (!report.isReleased) device.hasReported = true;
    for (const point of stored) {
      (report.isImported ? device.imported : device.points).push(point);
      device.stateRow.newest = Math.max(device.stateRow.newest, point.timestamp);
    }
    for (const reading of readings) {
      device.readings.push(reading);
      device.stateRow.newest = Math.max(device.stateRow.newest, reading.timestamp);
      if (reading.timestamp < tooOldFor(report)) continue;
      const about = devices.get(reading.deviceId ?? report.deviceId) ?? device;
      about.inputs.push(readingInput(reading));
    }
    if (report.importPart)
      await countImported(tx, report.importPart, {
        deviceId: report.deviceId,
        times: report.points.map((cells) => cells[CELL.timestamp] as number),
        duplicates: points[index]!.duplicates,
        now: report.now,
      });
    received[index]!.receipt = {
      accepted: stored.length + readings.length + report.messages.length,
      duplicates:
        found[index]!.known + points[index]!.duplicates + own[index]!.duplicates + ofOthers[index]!.duplicates,
      ...(kepts[index]!.expired > 0 && { expired: kepts[index]!.expired }),
      hasPending: device.stateRow.hasPending,
    };
  }
}

/** Until the import ends, the clock of the device waits; what was imported is told nobody. */
function noteImport({ stateRow }: DeviceBatch, stored: readonly AppendedPoint[]): void {
  stateRow.importFrom ??= Number.MAX_SAFE_INTEGER;
  for (const { timestamp } of stored) stateRow.silentUntil = Math.max(stateRow.silentUntil, timestamp);
}

async function appendRest(
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
  for (const { list, reason, report, timestamp } of quarantined) {
    await tx
      .insertInto('quarantine')
      .values({ deviceId, list, reason, report: quarantinedText(report), created: now, timestamp })
      .execute();
  }
}

/** For each report with gateway readings where the gateway was: the newest fix of the report, or else of the device. */
async function recentFixes(
  tx: Tx,
  reports: readonly NormalizedReport[],
  points: readonly Appended<AppendedPoint>[],
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
