import type { Kysely, Selectable } from 'kysely';
import { runRows } from '../../platform/storage/bulk.ts';
import { lockDevice } from '../schema/lock-device.ts';
import type { Tables } from '../schema/tables.ts';
import { ALL, INSERT_AGAIN } from './over-readings.ts';
import {
  isOf,
  MOST_IN_READING_SEGMENT,
  openReadings,
  type ReadingSpan,
  readingSegmentsOf,
  readingSegmentsWithin,
} from './reading-segments.ts';
import { DAY_MS, startOfDay } from './segments.ts';
import {
  keeperOf,
  type ReadingColumn,
  type ReadingPair,
  type ReadingScope,
  type StoredReadingRow,
} from './stored-reading.ts';

/**
 * Packs readings, and unpacks them before one is changed: code that changes a reading finds it as a row. The caller
 * holds the lock of the device that reported them, so that no change is lost.
 */

type Tx = Kysely<Tables>;
type Segment = Selectable<Tables['readingSegments']>;

/** Rows that are packed in one transaction. */
const AT_ONCE = 20_000;
const DELETED_AT_ONCE = 500;

/** What a device reported: about other devices, about unknown devices, and about itself. */
const reportedBy = (keeperId: number): readonly ReadingScope[] => [
  { gatewayId: keeperId },
  { gatewayId: null, deviceId: keeperId },
];

/** The oldest reading of a device that may be packed; both its time and its reception are before `before`. */
export async function oldestToPack(query: Tx, keeperId: number, before: number): Promise<number | undefined> {
  let oldest: number | undefined;
  for (const scope of reportedBy(keeperId)) {
    const row = await query
      .selectFrom('gatewayReadings')
      .select('timestamp')
      .where(isOf(scope))
      .where('timestamp', '<', startOfDay(before))
      // Recent readings are still read by id: by live streams and by pending deliveries.
      .where('created', '<', before)
      .orderBy('timestamp')
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) oldest = Math.min(oldest ?? row.timestamp, row.timestamp);
  }
  return oldest;
}

/**
 * Packs what a device reported on a day (UTC), together with its packed readings of that day. Returns the number of
 * rows.
 */
export async function packReadingsOf(
  tx: Tx,
  keeperId: number,
  { at, before }: { readonly at: number; readonly before: number },
): Promise<number> {
  await lockDevice(tx, keeperId);
  const day = { from: startOfDay(at), to: startOfDay(at) + DAY_MS - 1 };
  let packed = 0;
  for (const scope of reportedBy(keeperId)) {
    const rows = await tx
      .selectFrom('gatewayReadings')
      .selectAll()
      .where(isOf(scope))
      .where('timestamp', '>=', day.from)
      .where('timestamp', '<=', day.to)
      .where('created', '<', before)
      .orderBy('timestamp')
      .orderBy('id')
      .limit(AT_ONCE)
      // A transaction that changes one of them waits, and then finds it packed.
      .forUpdate()
      .execute();
    const pairs = Map.groupBy(rows, ({ gatewayId, deviceId }) => `${gatewayId} ${deviceId}`);
    for (const ofPair of pairs.values()) await packPair(tx, ofPair[0]!, ofPair, day);
    await deleteReadings(
      tx,
      keeperId,
      rows.map(({ id }) => id),
    );
    packed += rows.length;
  }
  return packed;
}

async function packPair(
  tx: Tx,
  { gatewayId, deviceId }: ReadingPair,
  rows: readonly StoredReadingRow[],
  day: ReadingSpan,
): Promise<void> {
  const pair = { gatewayId, deviceId };
  // A full segment stays unchanged: on a busy day later readings have their own segments.
  const small = await readingSegmentsWithin(tx, pair, day)
    .select('id')
    .where('count', '<', MOST_IN_READING_SEGMENT)
    .execute();
  const before = await takeReadingSegments(tx, keeperOf(pair), small);
  await insertReadingSegments(tx, pair, [...before, ...rows]);
}

export async function insertReadingSegments(
  tx: Tx,
  pair: ReadingPair,
  readings: readonly StoredReadingRow[],
): Promise<void> {
  for (const segment of readingSegmentsOf(pair, readings))
    await tx.insertInto('readingSegments').values(segment).execute();
}

/** Deletes rows that one device reported. */
export async function deleteReadings(tx: Tx, keeperId: number, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += DELETED_AT_ONCE)
    await tx
      .deleteFrom('gatewayReadings')
      .where('reporterId', '=', keeperId)
      .where('id', 'in', ids.slice(start, start + DELETED_AT_ONCE))
      .execute();
}

/** Removes segments of one reporting device and returns their content. */
export async function takeReadingSegments(
  tx: Tx,
  keeperId: number,
  segments: readonly Pick<Segment, 'id'>[],
): Promise<StoredReadingRow[]> {
  if (segments.length === 0) return [];
  const taken = await tx
    .deleteFrom('readingSegments')
    .where('reporterId', '=', keeperId)
    .where(
      'id',
      'in',
      segments.map(({ id }) => id),
    )
    .returning(['gatewayId', 'deviceId', 'data'])
    .execute();
  return taken.flatMap((segment) => openReadings(segment, ALL) as StoredReadingRow[]);
}

/** Readings are rows again, with the ids that they had. */
export async function insertReadings(tx: Tx, readings: readonly StoredReadingRow[]): Promise<void> {
  await runRows(
    tx,
    INSERT_AGAIN,
    readings.map((reading) => [...ALL.map((name) => reading[name]), keeperOf(reading)]),
  );
}

/**
 * Unpacks the packed readings of a scope and a range of time, both ends inclusive, into rows. The caller holds the
 * lock.
 */
export async function unpackReadingsWithin(tx: Tx, scope: ReadingScope, span: ReadingSpan): Promise<void> {
  const segments = await readingSegmentsWithin(tx, scope, span).select(['id', 'reporterId']).execute();
  for (const [keeperId, some] of Map.groupBy(segments, ({ reporterId }) => reporterId))
    await unpackThem(tx, keeperId, some);
}

/** The same for everything that a device reported. */
export async function unpackReportedBy(tx: Tx, keeperId: number, span: ReadingSpan): Promise<void> {
  await lockDevice(tx, keeperId);
  for (const scope of reportedBy(keeperId)) await unpackReadingsWithin(tx, scope, span);
}

async function unpackThem(tx: Tx, keeperId: number, segments: readonly Pick<Segment, 'id'>[]): Promise<void> {
  await insertReadings(tx, await takeReadingSegments(tx, keeperId, segments));
}

/** The reading with an id is a row, whether it was packed or not, until the transaction ends. */
export async function unpackReading(tx: Tx, of: ReadingPair, id: number): Promise<void> {
  // Both, in the same order as reports lock them: a change of a reading then writes the states of both.
  const devices = [of.gatewayId, of.deviceId].filter((device) => device !== null);
  for (const device of devices.sort((a, b) => a - b)) await lockDevice(tx, device);
  const found = await packedReading(tx, { gatewayId: of.gatewayId, deviceId: of.deviceId }, id, ['id']);
  if (found !== undefined) await unpackThem(tx, keeperOf(of), [{ id: found.segmentId }]);
}

/** A reading of a scope that is packed. */
export async function packedReading<Name extends ReadingColumn>(
  query: Tx,
  scope: ReadingScope,
  id: number,
  columns: readonly Name[],
): Promise<(Pick<StoredReadingRow, Name | 'id'> & { readonly segmentId: number }) | undefined> {
  const candidates = await query
    .selectFrom('readingSegments')
    .select(['id', 'gatewayId', 'deviceId', 'data'])
    .where(isOf(scope))
    .where('lowId', '<=', id)
    .where('highId', '>=', id)
    .execute();
  for (const segment of candidates) {
    const found = openReadings(segment, columns).find((reading) => reading.id === id);
    if (found !== undefined) return { ...found, segmentId: segment.id };
  }
  return undefined;
}

/**
 * Deletes what a device reported, packed or not. Returns the number of rows. The lock comes first: without it, what a
 * packer has not committed yet is neither a row nor a segment.
 * @param most maximum number of rows of each kind, to delete in steps: all are deleted once a step finds none
 */
export async function deleteReportedBy(tx: Tx, deviceId: number, most?: number): Promise<number> {
  await lockDevice(tx, deviceId);
  let deleted = 0n;
  for (const scope of reportedBy(deviceId)) {
    await tx.deleteFrom('readingSegments').where(isOf(scope)).execute();
    let rows = tx.deleteFrom('gatewayReadings').where(isOf(scope));
    if (most !== undefined) {
      const some = await tx.selectFrom('gatewayReadings').select('id').where(isOf(scope)).limit(most).execute();
      rows = rows.where('id', 'in', [-1, ...some.map(({ id }) => id)]);
    }
    deleted += (await rows.executeTakeFirst()).numDeletedRows;
  }
  return Number(deleted);
}

/**
 * Sightings of a device by other users' gateways stay, but no longer refer to the device. Rows come first: some may be
 * packed meanwhile.
 */
export async function clearNamed(tx: Tx, deviceId: number): Promise<void> {
  await tx.updateTable('gatewayReadings').set({ deviceId: null }).where('deviceId', '=', deviceId).execute();
  await tx.updateTable('readingSegments').set({ deviceId: null }).where('deviceId', '=', deviceId).execute();
}

/** Sightings by other users' gateways stay, but without the device and its name. */
export async function clearSightings(tx: Tx, deviceId: number, most: number): Promise<number> {
  const found = await tx
    .selectFrom('readingSegments')
    .select(['id', 'gatewayId', 'deviceId'])
    .where('deviceId', '=', deviceId)
    .limit(most)
    .execute();
  for (const segment of found) {
    const readings = await takeReadingSegments(tx, keeperOf(segment), [segment]);
    if (segment.gatewayId === null) continue;
    const cleared = readings.map((reading) => ({ ...reading, sensorDeviceId: null }));
    await insertReadingSegments(tx, { gatewayId: segment.gatewayId, deviceId: null }, cleared);
  }
  return found.length;
}
