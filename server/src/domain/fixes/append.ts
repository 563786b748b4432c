import type { Kysely } from 'kysely';
import type { Engine } from '../../platform/storage/database.ts';
import { insertOf, runRows } from '../../platform/storage/each-row.ts';
import type { Cell } from '../../platform/storage/shape.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredReading } from './fix-of.ts';
import { type NormalPoint, type NormalReading, type PackedPoint, packPoint } from './normalize.ts';

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

const NOTHING: Appended<never> = { stored: [], duplicates: 0 };

const INSERT_POINTS = insertOf('points', {
  deviceId: 'integer',
  created: 'time',
  judged: 'text',
  timestamp: 'time',
  locationLat: 'number',
  locationLng: 'number',
  speed: 'number',
  altitude: 'number',
  course: 'number',
  accuracy: 'number',
  locationType: 'text',
  sats: 'integer',
  hdop: 'number',
  batteryPct: 'number',
  batteryVoltage: 'number',
  averageCharge: 'integer',
  sendReason: 'integer',
  alertType: 'integer',
  mode: 'integer',
  gsmSignal: 'number',
  address: 'text',
  correlationId: 'text',
  hash: 'text',
});

/** A point that is about to be stored, and then is. */
export type AppendedPoint = NormalPoint & { id: number; judged: string | null };

function unpackPoint(cells: PackedPoint): AppendedPoint {
  const [timestamp, locationLat, locationLng, speed, altitude, course, accuracy, locationType, sats, hdop] = cells;
  const [batteryPct, batteryVoltage, averageCharge, sendReason, alertType, mode, gsmSignal] = cells.slice(10);
  return {
    timestamp: timestamp as number,
    locationLat: locationLat as number | null,
    locationLng: locationLng as number | null,
    speed: speed as number | null,
    altitude: altitude as number | null,
    course: course as number | null,
    accuracy: accuracy as number | null,
    locationType: locationType as string,
    sats: sats as number | null,
    hdop: hdop as number | null,
    batteryPct: batteryPct as number | null,
    batteryVoltage: batteryVoltage as number | null,
    averageCharge: averageCharge as number | null,
    sendReason: sendReason as number | null,
    alertType: alertType as number | null,
    mode: mode as number | null,
    gsmSignal: gsmSignal as number | null,
    address: cells[17] as string | null,
    correlationId: cells[18] as string | null,
    hash: cells[19] as string,
    id: 0,
    judged: null,
  };
}

/** The cells of a point, in the order of the columns above. */
const pointCells = (deviceId: number, created: number, point: AppendedPoint): Cell[] => [
  deviceId,
  created,
  point.judged,
  ...packPoint(point),
];

/** Answers for each batch what of it is stored. */
export async function appendPoints(
  tx: Tx,
  engine: Engine,
  packed: readonly (Batch<PackedPoint> & { readonly tooOld: number })[],
): Promise<Appended<AppendedPoint>[]> {
  const batches = packed.map((batch) => ({ ...batch, said: batch.said.map(unpackPoint) }));
  const fresh = await unsaid(batches, (deviceId, timestamps) =>
    tx
      .selectFrom('points')
      .select(['timestamp', 'hash'])
      .where('deviceId', '=', deviceId)
      .where('timestamp', 'in', timestamps)
      .execute(),
  );
  const rows: Cell[][] = [];
  for (const [batch, { deviceId, now, tooOld }] of batches.entries()) {
    for (const point of fresh[batch]!) {
      if (point.timestamp < tooOld) point.judged = 'tooOld';
      rows.push(pointCells(deviceId, now, point));
    }
  }
  const ids = await runRows(tx, engine, INSERT_POINTS, rows);
  let next = 0;
  for (const points of fresh) for (const point of points) point.id = ids[next++]!;
  return batches.map(({ said }, batch) => ({
    stored: fresh[batch]!,
    duplicates: said.length - fresh[batch]!.length,
  }));
}

export interface ReadingPlace {
  readonly gatewayId: number | null;
  readonly deviceId: number | null;
  readonly datapointId: number | null;
}

const INSERT_READINGS = insertOf('gatewayReadings', {
  gatewayId: 'integer',
  deviceId: 'integer',
  datapointId: 'integer',
  created: 'time',
  timestamp: 'time',
  type: 'text',
  value: 'json',
  rssi: 'number',
  meta: 'json',
  correlationId: 'text',
  sensorDeviceId: 'text',
  hash: 'text',
});

/** @param from who tells: a gateway what it heard, or a device about itself */
export async function appendReadings(
  tx: Tx,
  engine: Engine,
  from: 'gatewayId' | 'deviceId',
  batches: readonly (Batch<NormalReading> & { readonly placeOf: (reading: NormalReading) => ReadingPlace })[],
): Promise<Appended<StoredReading & ReadingPlace>[]> {
  if (batches.every(({ said }) => said.length === 0)) return batches.map(() => NOTHING);
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
      reading.timestamp,
      reading.type,
      reading.value,
      reading.rssi,
      reading.meta,
      reading.correlationId,
      reading.sensorDeviceId,
      reading.hash,
    ]),
  );
  const ids = await runRows(tx, engine, INSERT_READINGS, rows);
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

/** What a device said before, within the group: mostly each report is newer than all that. */
interface Before {
  newest: number;
  readonly said: Said[];
}

/** What of each batch was not said before, in the store or in a batch before it. */
async function unsaid<T extends Said>(
  batches: readonly Batch<T>[],
  lookUp: (deviceId: number, timestamps: number[]) => Promise<Said[]>,
): Promise<(readonly T[])[]> {
  const befores = new Map<number, Before>();
  const fresh: (readonly T[])[] = [];
  for (const { deviceId, newest, said } of batches) {
    if (said.length === 0) {
      fresh.push(said);
      continue;
    }
    let before = befores.get(deviceId);
    if (before === undefined) {
      before = { newest, said: [] };
      befores.set(deviceId, before);
    }
    const isNews = isRising(said, before.newest);
    const found = isNews ? said : await unsaidOf(said, before, newest, (timestamps) => lookUp(deviceId, timestamps));
    for (const one of found) {
      before.said.push(one);
      before.newest = Math.max(before.newest, one.timestamp);
    }
    fresh.push(found);
  }
  return fresh;
}

/** Each newer than the one before it. */
function isRising(said: readonly Said[], after: number): boolean {
  let last = after;
  for (const { timestamp } of said) {
    if (timestamp <= last) return false;
    last = timestamp;
  }
  return true;
}

async function unsaidOf<T extends Said>(
  said: readonly T[],
  before: Before,
  newest: number,
  lookUp: (timestamps: number[]) => Promise<Said[]>,
): Promise<T[]> {
  const heard = new Set(before.said.map(keyOf));
  const olds = [...new Set(said.filter(({ timestamp }) => timestamp <= newest).map(({ timestamp }) => timestamp))];
  for (let start = 0; start < olds.length; start += LOOKED_UP) {
    for (const row of await lookUp(olds.slice(start, start + LOOKED_UP))) heard.add(keyOf(row));
  }
  return said.filter((one) => {
    const key = keyOf(one);
    return !heard.has(key) && heard.add(key);
  });
}
