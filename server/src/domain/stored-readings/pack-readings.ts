import type { Kysely, Selectable } from 'kysely';
import { insertOf, runRows } from '../../platform/storage/bulk.ts';
import { runSql } from '../../platform/storage/run-sql.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { DAY_MS, startOfDay } from '../positions/segments.ts';
import type { Tables } from '../schema/tables.ts';
import {
  isOf,
  MOST_IN_READING_SEGMENT,
  openReadings,
  type ReadingSpan,
  readingSegmentsOf,
  readingSegmentsWithin,
} from './reading-segments.ts';
import {
  keeperOf,
  type ReadingColumn,
  type ReadingPair,
  type ReadingScope,
  type StoredReadingRow,
} from './stored-reading.ts';

/**
 * Packs readings, and unpacks them again where one is to be changed: whatever changes a reading finds it as a row. Whoever
 * packs or unpacks has the lock of the device that told them, so that no change is lost.
 */

type Tx = Kysely<Tables>;
type Segment = Selectable<Tables['readingSegments']>;

/** Rows that are packed in one transaction. */
const AT_ONCE = 20_000;
const DELETED_AT_ONCE = 500;

const LOCK = 'SELECT "deviceId" FROM "deviceStates" WHERE "deviceId" = ? FOR UPDATE';

/** SQLite has one writer, which needs no lock. */
export async function lockReadings(tx: Tx, storeKind: StoreKind, keeperId: number): Promise<void> {
  if (storeKind === 'postgres') await runSql(tx, storeKind, LOCK, [keeperId]);
}

/** What a device told: of others, of nobody that is known, and of itself. */
const toldBy = (keeperId: number): readonly ReadingScope[] => [
  { gatewayId: keeperId },
  { gatewayId: null, deviceId: keeperId },
];

/** The oldest reading of those that a device told which may be packed; both its time and its reception are before. */
export async function oldestToPack(query: Tx, keeperId: number, before: number): Promise<number | undefined> {
  let oldest: number | undefined;
  for (const scope of toldBy(keeperId)) {
    const row = await query
      .selectFrom('gatewayReadings')
      .select('timestamp')
      .where(isOf(scope))
      .where('timestamp', '<', startOfDay(before))
      // What came of late is still asked for by its id: by live streams, and by whatever is being sent.
      .where('created', '<', before)
      .orderBy('timestamp')
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) oldest = Math.min(oldest ?? row.timestamp, row.timestamp);
  }
  return oldest;
}

/** Packs what a device told on a day (UTC), together with what is packed of it; how many rows that were. */
export async function packReadingsOf(
  tx: Tx,
  storeKind: StoreKind,
  keeperId: number,
  { at, before }: { readonly at: number; readonly before: number },
): Promise<number> {
  await lockReadings(tx, storeKind, keeperId);
  const day = { from: startOfDay(at), to: startOfDay(at) + DAY_MS - 1 };
  let packed = 0;
  for (const scope of toldBy(keeperId)) {
    const some = tx
      .selectFrom('gatewayReadings')
      .selectAll()
      .where(isOf(scope))
      .where('timestamp', '>=', day.from)
      .where('timestamp', '<=', day.to)
      .where('created', '<', before)
      .orderBy('timestamp')
      .orderBy('id')
      .limit(AT_ONCE);
    // Whoever changes one of them waits, and then finds it packed.
    const rows = await (storeKind === 'postgres' ? some.forUpdate() : some).execute();
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
  // A full one stays as it is: on a busy day those that follow have segments of their own.
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

/** Deletes rows that one device told. */
export async function deleteReadings(tx: Tx, keeperId: number, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += DELETED_AT_ONCE)
    await tx
      .deleteFrom('gatewayReadings')
      .where('keptBy', '=', keeperId)
      .where('id', 'in', ids.slice(start, start + DELETED_AT_ONCE))
      .execute();
}

/** Takes segments of what one device told away; what was in them. */
export async function takeReadingSegments(
  tx: Tx,
  keeperId: number,
  segments: readonly Pick<Segment, 'id'>[],
): Promise<StoredReadingRow[]> {
  if (segments.length === 0) return [];
  const taken = await tx
    .deleteFrom('readingSegments')
    .where('keptBy', '=', keeperId)
    .where(
      'id',
      'in',
      segments.map(({ id }) => id),
    )
    .returning(['gatewayId', 'deviceId', 'data'])
    .execute();
  return taken.flatMap((segment) => openReadings(segment, ALL) as StoredReadingRow[]);
}

const INSERTED = {
  gatewayId: 'integer',
  deviceId: 'integer',
  timestamp: 'time',
  created: 'time',
  type: 'text',
  value: 'json',
  rssi: 'number',
  meta: 'json',
  relatedId: 'integer',
  correlationId: 'text',
  sensorDeviceId: 'text',
  datapointId: 'integer',
  hash: 'text',
  id: 'integer',
} as const satisfies Record<ReadingColumn, unknown>;
export const ALL = Object.keys(INSERTED) as ReadingColumn[];
const INSERT = insertOf('gatewayReadings', { ...INSERTED, keptBy: 'integer' });

/** Readings are rows again, with the ids that they had. */
export async function insertReadings(
  tx: Tx,
  storeKind: StoreKind,
  readings: readonly StoredReadingRow[],
): Promise<void> {
  await runRows(
    tx,
    storeKind,
    INSERT,
    readings.map((reading) => [...ALL.map((name) => reading[name]), keeperOf(reading)]),
  );
}

/** What is packed of a scope and a range of time, both ends inclusive, is rows again. Whoever unpacks has the lock. */
export async function unpackReadingsWithin(
  tx: Tx,
  storeKind: StoreKind,
  scope: ReadingScope,
  span: ReadingSpan,
): Promise<void> {
  const segments = await readingSegmentsWithin(tx, scope, span).select(['id', 'keptBy']).execute();
  for (const [keeperId, some] of Map.groupBy(segments, ({ keptBy }) => keptBy))
    await unpackThem(tx, storeKind, keeperId, some);
}

/** The same for all that a device told. */
export async function unpackToldBy(tx: Tx, storeKind: StoreKind, keeperId: number, span: ReadingSpan): Promise<void> {
  await lockReadings(tx, storeKind, keeperId);
  for (const scope of toldBy(keeperId)) await unpackReadingsWithin(tx, storeKind, scope, span);
}

async function unpackThem(
  tx: Tx,
  storeKind: StoreKind,
  keeperId: number,
  segments: readonly Pick<Segment, 'id'>[],
): Promise<void> {
  await insertReadings(tx, storeKind, await takeReadingSegments(tx, keeperId, segments));
}

/** The reading with an id is a row, whether it was packed or not, until the transaction ends. */
export async function unpackReading(tx: Tx, storeKind: StoreKind, of: ReadingPair, id: number): Promise<void> {
  // Both, in the order in which reports lock them: whoever changes a reading goes on to write to the states of both.
  const devices = [of.gatewayId, of.deviceId].filter((device) => device !== null);
  for (const device of devices.sort((a, b) => a - b)) await lockReadings(tx, storeKind, device);
  const found = await packedReading(tx, { gatewayId: of.gatewayId, deviceId: of.deviceId }, id, ['id']);
  if (found !== undefined) await unpackThem(tx, storeKind, keeperOf(of), [{ id: found.segmentId }]);
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

/** Nothing that a device told is packed any more. */
export async function forgetToldSegments(tx: Tx, deviceId: number): Promise<void> {
  for (const scope of toldBy(deviceId)) await tx.deleteFrom('readingSegments').where(isOf(scope)).execute();
}

/** Nothing that a device told is a row any more. */
export async function forgetToldRows(tx: Tx, deviceId: number): Promise<void> {
  for (const scope of toldBy(deviceId)) await tx.deleteFrom('gatewayReadings').where(isOf(scope)).execute();
}

/** Nothing that a device told is packed any more, and nothing that is packed names it: it is forgotten. */
export async function forgetReadingSegments(tx: Tx, deviceId: number): Promise<void> {
  await forgetToldSegments(tx, deviceId);
  await tx.updateTable('readingSegments').set({ deviceId: null }).where('deviceId', '=', deviceId).execute();
}

/** What gateways of others heard is theirs, but no longer of whom: neither the device nor what it calls itself. */
export async function clearHeard(tx: Tx, deviceId: number, most: number): Promise<number> {
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
