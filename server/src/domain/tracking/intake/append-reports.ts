import type { Kysely } from 'kysely';
import type { Engine } from '../../../platform/storage/database.ts';
import type { Tables } from '../../schema/tables.ts';
import { readingInput } from '../judge/to-fix.ts';
import { messageTelling } from '../state/live-events.ts';
import { type Appended, type AppendedPoint, appendPoints, appendReadings } from './append-rows.ts';
import type { DeviceWork } from './device-batch.ts';
import { latest } from './last-connection.ts';
import { type Delivery, keptReport } from './normalized-report.ts';

type Tx = Kysely<Tables>;

interface Appending {
  /** How old a fix may be and still be judged. */
  readonly windowMs: number;
  /** Which device a gateway heard. */
  readonly sensedBy: (gatewayId: number, sensor: string | null) => number | null;
}

/** Writes down what devices said, notes in their works what there is to judge, and what each is answered. */
export async function appendReports(
  tx: Tx,
  engine: Engine,
  deliveries: readonly Delivery[],
  works: ReadonlyMap<number, DeviceWork>,
  { windowMs, sensedBy }: Appending,
): Promise<void> {
  const from = ({ deviceId, now }: Delivery) => ({ deviceId, now, newest: works.get(deviceId)!.line.newest });
  const tooOldFor = ({ now }: Delivery) => now - windowMs;
  const points = await appendPoints(
    tx,
    engine,
    deliveries.map((delivery) => ({ ...from(delivery), said: delivery.points, tooOld: tooOldFor(delivery) })),
  );
  const own = await appendReadings(
    tx,
    engine,
    'deviceId',
    deliveries.map((delivery) => ({
      ...from(delivery),
      said: delivery.readings,
      placeOf: () => ({ gatewayId: null, deviceId: delivery.deviceId, datapointId: null }),
    })),
  );
  const recent = await recentFixes(tx, deliveries, points);
  const heard = await appendReadings(
    tx,
    engine,
    'gatewayId',
    deliveries.map((delivery, index) => ({
      ...from(delivery),
      said: delivery.gatewayReadings,
      placeOf: ({ sensorDeviceId, timestamp }) => ({
        gatewayId: delivery.deviceId,
        deviceId: sensedBy(delivery.deviceId, sensorDeviceId),
        datapointId: isNear(recent[index], timestamp) ? recent[index]!.id : null,
      }),
    })),
  );
  for (const [index, delivery] of deliveries.entries()) {
    const work = works.get(delivery.deviceId)!;
    const stored = points[index]!.stored;
    const readings = [...own[index]!.stored, ...heard[index]!.stored];
    if (delivery.messages.length + delivery.quarantined.length > 0) await appendRest(tx, delivery, work);
    work.isHeard = true;
    for (const point of stored) {
      work.points.push(point);
      work.line.newest = Math.max(work.line.newest, point.timestamp);
    }
    for (const reading of readings) {
      work.readings.push(reading);
      work.line.newest = Math.max(work.line.newest, reading.timestamp);
      if (reading.timestamp < tooOldFor(delivery)) continue;
      const about = works.get(reading.deviceId ?? delivery.deviceId) ?? work;
      about.inputs.push(readingInput(reading));
    }
    delivery.receipt = {
      accepted: stored.length + readings.length + delivery.messages.length,
      duplicates: points[index]!.duplicates + own[index]!.duplicates + heard[index]!.duplicates,
      hasWaiting: work.line.hasWaiting,
    };
  }
}

async function appendRest(tx: Tx, { deviceId, now, messages, quarantined }: Delivery, work: DeviceWork): Promise<void> {
  for (const { message, config } of messages) {
    const row = { message, config, mobileTerminated: 0, created: now, sent: null, deviceId, userId: null };
    const { id } = await tx.insertInto('messages').values(row).returning('id').executeTakeFirstOrThrow();
    work.inputs.push({ kind: 'message', at: now, id });
    work.messages.push(messageTelling(deviceId, { id, ...row }));
  }
  for (const { list, reason, report } of quarantined) {
    await tx
      .insertInto('quarantine')
      .values({ deviceId, list, reason, report: keptReport(report), created: now })
      .execute();
  }
}

/** For each delivery with gateway readings the place they were heard at: its own newest fix, or the device's. */
async function recentFixes(
  tx: Tx,
  deliveries: readonly Delivery[],
  points: readonly Appended<AppendedPoint>[],
): Promise<(RecentFix | undefined)[]> {
  const found: (RecentFix | undefined)[] = [];
  for (const [index, { deviceId, now, gatewayReadings }] of deliveries.entries()) {
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
