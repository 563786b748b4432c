import type { Kysely } from 'kysely';
import type { Engine } from '../../platform/storage/database.ts';
import { insertMany } from '../../platform/storage/insert-many.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredPoint, StoredReading } from './fix-of.ts';
import type { NormalPoint, NormalReading } from './normalize.ts';

/** Writes down what a device said, once: what was said before is known by device, time and hash. */

type Tx = Kysely<Tables>;

export interface Appended<Stored> {
  readonly stored: readonly Stored[];
  readonly duplicates: number;
}

const POINT_COLUMNS = [
  'timestamp',
  'locationLat',
  'locationLng',
  'speed',
  'altitude',
  'course',
  'accuracy',
  'locationType',
  'sats',
  'hdop',
  'batteryPct',
  'batteryVoltage',
  'averageCharge',
  'sendReason',
  'alertType',
  'mode',
  'gsmSignal',
  'address',
  'correlationId',
  'hash',
] as const;

export async function appendPoints(
  tx: Tx,
  engine: Engine,
  deviceId: number,
  points: readonly NormalPoint[],
  more: { newest: number; tooOld: number; now: number },
): Promise<Appended<StoredPoint & { judged: string | null; batteryVoltage: number | null }>> {
  const fresh = await unsaid(points, more.newest, (timestamps) =>
    tx
      .selectFrom('points')
      .select(['timestamp', 'hash'])
      .where('deviceId', '=', deviceId)
      .where('timestamp', 'in', timestamps)
      .execute(),
  );
  const judgedOf = ({ timestamp }: NormalPoint) => (timestamp < more.tooOld ? 'tooOld' : null);
  const rows = fresh.map((point) => [
    deviceId,
    more.now,
    judgedOf(point),
    ...POINT_COLUMNS.map((column) => point[column]),
  ]);
  const ids = await insertMany(tx, engine, 'points', ['deviceId', 'created', 'judged', ...POINT_COLUMNS], rows);
  return {
    stored: fresh.map((point, index) => ({ ...point, id: ids[index]!, judged: judgedOf(point) })),
    duplicates: points.length - fresh.length,
  };
}

export interface ReadingPlace {
  readonly gatewayId: number | null;
  readonly deviceId: number | null;
  readonly datapointId: number | null;
}

const READING_COLUMNS = [
  'timestamp',
  'type',
  'value',
  'rssi',
  'meta',
  'correlationId',
  'sensorDeviceId',
  'hash',
] as const;

export async function appendReadings(
  tx: Tx,
  engine: Engine,
  from: { column: 'gatewayId' | 'deviceId'; id: number },
  readings: readonly NormalReading[],
  placeOf: (reading: NormalReading) => ReadingPlace,
  more: { newest: number; now: number },
): Promise<Appended<StoredReading & ReadingPlace>> {
  const fresh = await unsaid(readings, more.newest, (timestamps) =>
    tx
      .selectFrom('gatewayReadings')
      .select(['timestamp', 'hash'])
      .where(from.column, '=', from.id)
      .where('timestamp', 'in', timestamps)
      .execute(),
  );
  const placed = fresh.map((reading) => ({ ...reading, ...placeOf(reading) }));
  const rows = placed.map((reading) => [
    reading.gatewayId,
    reading.deviceId,
    reading.datapointId,
    more.now,
    ...READING_COLUMNS.map((column) => reading[column]),
  ]);
  const columns = ['gatewayId', 'deviceId', 'datapointId', 'created', ...READING_COLUMNS];
  const ids = await insertMany(tx, engine, 'gatewayReadings', columns, rows);
  return {
    stored: placed.map((reading, index) => ({ ...reading, id: ids[index]! })),
    duplicates: readings.length - fresh.length,
  };
}

interface Said {
  readonly timestamp: number;
  readonly hash: string;
}

/** What was not said before. Only what is not newer than everything must be looked up. */
async function unsaid<T extends Said>(
  said: readonly T[],
  newest: number,
  lookUp: (timestamps: number[]) => Promise<{ timestamp: number; hash: string | null }[]>,
): Promise<T[]> {
  const keyOf = ({ timestamp, hash }: { timestamp: number; hash: string | null }) => `${timestamp} ${hash}`;
  const olds = [...new Set(said.filter(({ timestamp }) => timestamp <= newest).map(({ timestamp }) => timestamp))];
  const known = new Set<string>();
  for (let start = 0; start < olds.length; start += 500) {
    for (const row of await lookUp(olds.slice(start, start + 500))) known.add(keyOf(row));
  }
  const fresh: T[] = [];
  for (const one of said) {
    const key = keyOf(one);
    if (known.has(key)) continue;
    known.add(key);
    fresh.push(one);
  }
  return fresh;
}
