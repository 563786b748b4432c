import type { Kysely } from 'kysely';
import type { Engine } from '../../platform/storage/database.ts';
import { insertMany } from '../../platform/storage/insert-many.ts';
import type { Cell } from '../../platform/storage/shape.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredReading } from './fix-of.ts';
import type { NormalPoint, NormalReading } from './normalize.ts';

/** Writes down what a device said, once: what was said before is known by device, time and hash. */

type Tx = Kysely<Tables>;

/** What one report says. Several of one device may come together. */
export interface Batch<Said> {
  readonly deviceId: number;
  /** The newest that is stored of the device: only what is not newer must be looked up. */
  readonly newest: number;
  readonly now: number;
  readonly said: readonly Said[];
}

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

export type AppendedPoint = NormalPoint & { readonly id: number; readonly judged: string | null };

/** Answers for each batch what of it is stored. */
export async function appendPoints(
  tx: Tx,
  engine: Engine,
  batches: readonly (Batch<NormalPoint> & { readonly tooOld: number })[],
): Promise<Appended<AppendedPoint>[]> {
  const fresh = await unsaid(batches, (deviceId, timestamps) =>
    tx
      .selectFrom('points')
      .select(['timestamp', 'hash'])
      .where('deviceId', '=', deviceId)
      .where('timestamp', 'in', timestamps)
      .execute(),
  );
  const judgedOf = ({ timestamp }: NormalPoint, tooOld: number) => (timestamp < tooOld ? 'tooOld' : null);
  const rows = batches.flatMap(({ deviceId, now, tooOld }, batch) =>
    fresh[batch]!.map((point) => {
      const row: Cell[] = [deviceId, now, judgedOf(point, tooOld)];
      for (const column of POINT_COLUMNS) row.push(point[column]);
      return row;
    }),
  );
  const ids = await insertMany(tx, engine, 'points', ['deviceId', 'created', 'judged', ...POINT_COLUMNS], rows);
  let next = 0;
  return batches.map(({ said, tooOld }, batch) => ({
    stored: fresh[batch]!.map((point) => ({ ...point, id: ids[next++]!, judged: judgedOf(point, tooOld) })),
    duplicates: said.length - fresh[batch]!.length,
  }));
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

/** @param from who tells: a gateway what it heard, or a device about itself */
export async function appendReadings(
  tx: Tx,
  engine: Engine,
  from: 'gatewayId' | 'deviceId',
  batches: readonly (Batch<NormalReading> & { readonly placeOf: (reading: NormalReading) => ReadingPlace })[],
): Promise<Appended<StoredReading & ReadingPlace>[]> {
  const fresh = await unsaid(batches, (id, timestamps) =>
    tx
      .selectFrom('gatewayReadings')
      .select(['timestamp', 'hash'])
      .where(from, '=', id)
      .where('timestamp', 'in', timestamps)
      .execute(),
  );
  const placed = batches.map(({ placeOf }, batch) =>
    fresh[batch]!.map((reading) => ({ ...reading, ...placeOf(reading) })),
  );
  const rows = batches.flatMap(({ now }, batch) =>
    placed[batch]!.map((reading) => [
      reading.gatewayId,
      reading.deviceId,
      reading.datapointId,
      now,
      ...READING_COLUMNS.map((column) => reading[column]),
    ]),
  );
  const columns = ['gatewayId', 'deviceId', 'datapointId', 'created', ...READING_COLUMNS];
  const ids = await insertMany(tx, engine, 'gatewayReadings', columns, rows);
  let next = 0;
  return batches.map(({ said }, batch) => ({
    stored: placed[batch]!.map((reading) => ({ ...reading, id: ids[next++]! })),
    duplicates: said.length - placed[batch]!.length,
  }));
}

interface Said {
  readonly timestamp: number;
  readonly hash: string | null;
}

const keyOf = ({ timestamp, hash }: Said) => `${timestamp} ${hash}`;
const LOOKED_UP = 500;

/** What of each batch was not said before, in the store or in a batch before it. */
async function unsaid<T extends Said>(
  batches: readonly Batch<T>[],
  lookUp: (deviceId: number, timestamps: number[]) => Promise<Said[]>,
): Promise<T[][]> {
  const known = new Map<number, Set<string>>();
  const fresh: T[][] = [];
  for (const { deviceId, newest, said } of batches) {
    const heard = known.get(deviceId) ?? new Set();
    known.set(deviceId, heard);
    const olds = [...new Set(said.filter(({ timestamp }) => timestamp <= newest).map(({ timestamp }) => timestamp))];
    for (let start = 0; start < olds.length; start += LOOKED_UP) {
      for (const row of await lookUp(deviceId, olds.slice(start, start + LOOKED_UP))) heard.add(keyOf(row));
    }
    fresh.push(
      said.filter((one) => {
        const key = keyOf(one);
        return !heard.has(key) && heard.add(key);
      }),
    );
  }
  return fresh;
}
